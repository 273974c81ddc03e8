#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-last, -after, -before: a part of a recording has the events of the whole that lie in it.

The recording is made here by QEMU's plugin; another one, of sampled stacks, by perf. What lies in a
part is seen from what -z-print-events prints of the whole.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402

TEXT = {"MAGIC_TRACE_NO_DLFILTER": "1"}
NS = 10**9


class Place:
    def __init__(self, build, work):
        self.build = build
        self.trace = os.path.join(work, "trace.fxt")
        self.data = os.path.join(work, "perf.data")

    def decode(self, *args, env=None):
        return harness.program(self.build, "decode", "-o", self.trace, self.data, *args, env=env)

    def events(self, *args, env=None):
        """Times and texts of the branches and samples, in order; and how it ended."""
        ended = self.decode("-z-print-events", *args, env=env)
        lines = []
        for line in ended.stdout.splitlines():
            seconds, _, kind = line.split()[:3]
            if kind in ("branch", "sample"):
                whole, part = seconds.split(".")
                lines.append((int(whole) * NS + int(part), line))
        return lines, ended

    def spans(self):
        """The spans of the trace: name, begin and length, but not how deep they are."""
        p = subprocess.run([sys.executable, os.path.join(harness.TOOLS, "fxtdump.py"), "--spans",
                            self.trace], stdout=subprocess.PIPE, text=True, check=True)
        fields = [line.split('"') for line in p.stdout.splitlines()]
        return {(f[3], *map(int, f[2].split()[1:])) for f in fields}


def at(ns):
    return "@%d.%09d" % divmod(ns, NS)


def is_part(place, whole, first, last, *args):
    """The events of the part are those of the whole at such times, read as text too."""
    want = [e for e in whole if first <= e[0] <= last]
    faults = []
    for env in (None, TEXT) if harness.LONG or "-before" in args else (None,):
        got, ended = place.events(*args, env=env)
        if got != want or ended.status != 0:
            faults.append("%s, %s: %d events, %d wanted; status %s: %s" % (
                " ".join(args), env, len(got), len(want), ended.status, ended.stderr))
    return faults + harness.check_trace(place.trace)


def parts(place):
    """Each way to say which part."""
    whole, _ = place.events()
    begin, end = whole[0][0], whole[-1][0]
    third = (end - begin) // 3
    in_us = third // 1000 * 1000
    times = [t for t, _ in whole]
    edge = times[len(times) // 2]
    tests = [
        (begin + in_us, end, ("-after", "%dus" % (in_us // 1000))),
        (begin, begin + in_us, ("-before", "%dns" % in_us)),
        (end - in_us, end, ("-last", "%.6fms" % (in_us / 10**6))),
        (begin + (end - begin) // 4, end, ("-after", "25%")),
        (end - (end - begin) // 10, end, ("-last", "10%")),
        (begin, end, ("-last", "1000s")),
        (edge, edge, ("-after", at(edge), "-before", at(edge))),
        (edge, edge + third, ("-after", at(edge), "-before", at(edge + third))),
    ]
    return sum((is_part(place, whole, *t[:2], *t[2]) for t in tests), [])


def same_times(place):
    """What begins and ends within the part does so at the times that it has in the whole trace."""
    times = [t for t, _ in place.events()[0]]
    whole = place.spans()
    ended = place.decode("-after", at(times[len(times) * 2 // 5]),
                         "-before", at(times[len(times) * 3 // 5]))
    part = place.spans()
    # what lies at the edges may have been there before, or go on
    edges = min(b for _, b, _ in part), max(b + n for _, b, n in part)
    within = {(name, b, n) for name, b, n in part if edges[0] < b and b + n < edges[1]}
    if ended.status == 0 and len(within) > 100 and within <= whole:
        return []
    return ["%d spans, %d of them not in the whole, as %s: %s" % (
        len(within), len(within - whole), sorted(within - whole)[:3], ended.stderr)]


def empty(place):
    """A part without anything is no trace."""
    faults = []
    for args, words in ((("-after", "1h"), "is no time"), (("-last", "0ms"), "is no length"),
                        (("-after", "60%", "-before", "50%"), "is empty"),
                        (("-after", "500s"), "lies in the part"),
                        (("-before", "@0"), "is empty"),
                        (("-last", "1ms", "-after", "1ms"), "neither with -after")):
        if os.path.exists(place.trace):
            os.unlink(place.trace)
        ended = place.decode(*args)
        if ended.status not in (1, 2) or words not in ended.stderr or os.path.exists(place.trace):
            faults.append("%s: status %s: %s" % (" ".join(args), ended.status, ended.stderr))
    return faults


def broken(place, work):
    """A perf that fails when it has printed all costs no more than without a part."""
    perf = os.path.join(work, "bad-perf")
    with open(perf, "w") as f:
        f.write('#!/bin/sh\ncase "$1" in script) perf "$@"; echo "it broke" >&2; exit 7;; esac\n'
                'exec perf "$@"\n')
    os.chmod(perf, 0o755)
    faults = []
    for args in ((), ("-after", "0ms"), ("-last", "50%"), ("-before", "50%")):
        ended = place.decode(*args, env={"MAGIC_TRACE_PERF_PATH": perf})
        if ended.status != 3 or "exit status 7" not in ended.stderr:
            faults.append("%s: status %s: %s" % (args, ended.status, ended.stderr))
        faults += harness.check_trace(place.trace)
    return faults


def sampled(place):
    """The same of sampled stacks, of which perf is asked twice."""
    p = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "5000", "-g", "-o",
                        place.data, "--", sys.executable, "-c", "sum(range(3000000))"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       check=False)
    if p.returncode:
        return None
    whole, _ = place.events("-sampling")
    begin, end = whole[0][0], whole[-1][0]
    return is_part(place, whole, end - (end - begin) // 4, end, "-sampling", "-last", "25%")


def main():
    report = harness.Report("e2e/part")
    build = harness.build_dir()
    with tempfile.TemporaryDirectory() as work:
        place = Place(build, work)
        if not shutil.which("perf") or not shutil.which("qemu-x86_64"):
            report.skip("all", "perf or qemu-x86_64 is not installed")
            report.exit()
        harness.compile_target(work, "rounds.c", "-O1", "-ldl")
        subprocess.run(["qemu-x86_64", "-seed", "1", "-plugin",
                        "%s,out=%s" % (os.path.join(build, "magic-trace-qemu.so"), place.data),
                        os.path.join(work, "rounds"), "fib", "13"], check=True)
        report.check("parts", harness.faults_of(parts, place))
        report.check("times", harness.faults_of(same_times, place))
        report.check("empty", harness.faults_of(empty, place))
        report.check("a perf that fails", harness.faults_of(broken, place, work))
        faults = harness.faults_of(sampled, place)
        if faults is None:
            report.skip("sampled", "perf cannot record")
        else:
            report.check("sampled", faults)
    report.exit()


if __name__ == "__main__":
    main()
