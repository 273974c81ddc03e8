#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-jobs: a recording that several perfs decode, each a slice of it, gives the trace that one gives.

MAGIC_TRACE_CUTS moves the cuts to any time. MT_LONG=1: 100 times, and more recordings.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import softtrace                # noqa: E402

RUNS = 100 if harness.LONG else 4
REFERENCE = ("-stacks", "reference", "-time-spread", "reference", "-inline", "off")
STEPPED = [                     # name, program, options of softstep
    ("threads", "soft threads", ()),
    ("libraries at one address", "swap {a} {b}", ()),
    ("exceptions", "throws", ()),
    ("signals", "soft signals", ()),
    ("exec", "soft exec", ()),
    ("overflow", "turns", ("-z", "0", "-F", "overflow,118000,900")),
    ("lost", "soft fib", ("-F", "truncated,100000,500")),
    ("cut", "turns", ("-t", "instructions", "-z", "0", "-F", "cut,6001,555")),
    ("ring", "turns", ("-z", "0", "-r", "4096", "-R")),
    ("snapshots", "soft threads", ("-z", "0", "-r", "8192", "-s", "20000")),
]


class Place(softtrace.Place):
    def __init__(self, build, work):
        super().__init__(build, work)
        self.build = build
        self.rounds = harness.compile_target(work, "rounds.c", "-O1", "-ldl")
        if not harness.LONG:
            return
        self.names = {n: harness.compile_target(work, "swap.c", "-O2", "-fno-inline", "-shared",
                                                "-fPIC", "-DNAME=" + n, out="lib%s.so" % n)
                      for n in "ab"}
        self.programs["turns"] = harness.compile_target(work, "turns.c", "-O2")
        self.programs["swap"] = harness.compile_target(work, "swap.c", "-O1", "-ldl")

    def decode(self, name, jobs, *args, **env):
        """The trace, and what was said."""
        path = self.path("trace.fxt")
        ended = harness.program(self.build, "decode", "-jobs", str(jobs), *args, "-o", path,
                                self.path(name), env=env)
        if ended.status != 0:
            raise ValueError("status %s: %s" % (ended.status, ended.stderr))
        with open(path, "rb") as f:
            return f.read(), ended.stderr

    def emulate(self, name, *argv):
        subprocess.run(["qemu-x86_64", "-seed", "1", "-plugin",
                        "%s,out=%s" % (os.path.join(self.build, "magic-trace-qemu.so"),
                                       self.path(name)), *argv], check=True)


def same(place, name, *args):
    """Cut anywhere, the trace is that of one job, and of perf's text."""
    want, said = place.decode(name, 1, *args)
    faults = []
    if place.decode(name, 1, *args, MAGIC_TRACE_NO_DLFILTER="1")[0] != want:
        faults.append("the text path gives another trace")
    for seed in range(RUNS):
        got, _ = place.decode(name, 2 + seed % 7, *args, MAGIC_TRACE_CUTS=str(seed))
        if got != want:
            faults.append("MAGIC_TRACE_CUTS=%d -jobs %d gives another trace" % (seed, 2 + seed % 7))
    return faults


def many_perfs(place, name):
    """There are as many perfs as jobs; with one, or for little data, there is one."""
    log, perf = place.path("log"), place.path("perf")
    with open(perf, "w") as f:
        f.write("#!/bin/sh\necho \"$*\" >>%s\nexec perf \"$@\"\n" % log)
    os.chmod(perf, 0o755)
    faults = []
    for jobs, cuts, want in ((1, {}, 1), (3, {}, 1), (3, {"MAGIC_TRACE_CUTS": "3"}, 3),
                             (3, {"MAGIC_TRACE_CUTS": "3", "MAGIC_TRACE_NO_DLFILTER": "1"}, 1)):
        open(log, "w").close()
        place.decode(name, jobs, MAGIC_TRACE_PERF_PATH=perf, **cuts)
        with open(log) as f:
            n = sum("script" in line for line in f)
        if n != want:
            faults.append("-jobs %d, %s: %d perfs" % (jobs, cuts, n))
    return faults


def refused(place, name):
    """A perf that does not take the filter is asked for all, once; its slices are thrown away."""
    perf = place.path("old-perf")
    with open(perf, "w") as f:
        f.write('#!/bin/sh\ncase "$*" in *--dlfilter*)\necho " Error: unknown option" >&2; '
                'exit 129;;\nesac\nexec perf "$@"\n')
    os.chmod(perf, 0o755)
    want, _ = place.decode(name, 1)
    got, said = place.decode(name, 4, MAGIC_TRACE_PERF_PATH=perf, MAGIC_TRACE_CUTS="5")
    faults = [] if got == want else ["it gives another trace"]
    return faults + ([] if said.count("takes longer") == 1 else [said])


def slice_fails(place, name):
    """What a perf of a later slice could not read is missing, and said."""
    perf = place.path("bad-perf")
    with open(perf, "w") as f:
        f.write('#!/bin/sh\ncase "$*" in *=spool*) echo "it broke" >&2; exit 7;;\nesac\n'
                'exec perf "$@"\n')
    os.chmod(perf, 0o755)
    ended = harness.program(place.build, "decode", "-jobs", "3", "-o", place.path("trace.fxt"),
                            place.path(name), env={"MAGIC_TRACE_PERF_PATH": perf,
                                                   "MAGIC_TRACE_CUTS": "3"})
    if ended.status == 3 and "exit status 7" in ended.stderr and "it broke" in ended.stderr:
        return harness.check_trace(place.path("trace.fxt"))
    return ["status %s: %s" % (ended.status, ended.stderr)]


def main():
    report = harness.Report("e2e/slices")
    build = harness.build_dir()
    why = softtrace.cannot_test(build)
    if why or not shutil.which("qemu-x86_64"):
        report.skip("all", why or "qemu-x86_64 is not installed")
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        place = Place(build, work)
        place.emulate("dlopen", place.rounds, "dlopen", "8")
        report.check("dlopen", harness.faults_of(same, place, "dlopen"))
        report.check("by the reference's rules", harness.faults_of(same, place, "dlopen",
                                                                   *REFERENCE))
        report.check("perfs", harness.faults_of(many_perfs, place, "dlopen"))
        report.check("refused", harness.faults_of(refused, place, "dlopen"))
        report.check("a slice fails", harness.faults_of(slice_fails, place, "dlopen"))
        for name, words, options in STEPPED if harness.LONG else []:
            place.record("stepped", *options, "--",
                         *place.argv(words.format(**place.names)))
            report.check(name, harness.faults_of(same, place, "stepped"))
    report.exit()


if __name__ == "__main__":
    main()
