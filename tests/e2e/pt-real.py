#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run and attach with Intel PT, for real but for the CPU: softperf steps the program and writes what
a CPU would have, genuine packets in a perf.data file; the real perf decodes them.

The machine has PT by a mount namespace of this test. What must be in the trace is what the program
says that it did: each call of fib.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import fxt                      # noqa: E402
import harness                  # noqa: E402

FIBS_A_ROUND = 25               # calls of fib in fib(6)
STATUS = 3                      # with which the program exits


class Test:
    def __init__(self, build, work, program):
        self.build, self.work, self.program = build, work, program
        self.env = {"MAGIC_TRACE_PERF_PATH": os.path.join(os.path.abspath(build), "tests/tools",
                                                          "softperf")}

    def recorder(self, command, *args):
        self.trace = os.path.join(tempfile.mkdtemp(dir=self.work), "trace.fxt")
        return harness.Recorder(self.build, self.work, command, "-o", self.trace, *args,
                                env=self.env)

    def faults(self, ended, recorder, also=()):
        faults = recorder.left(also)
        if ended.status != 0:
            faults.append("status %s: %s" % (ended.status, ended.stderr))
        if "0 decode errors; 0 lines not understood" not in ended.stderr:
            faults.append("not all was decoded: " + ended.stderr)
        if os.path.exists(self.trace):
            faults += harness.check_trace(self.trace) or []
        return faults

    def spans(self, name):
        return [s for s in fxt.spans(fxt.read(self.trace)) if s.name == name]


def depths_are_true(spans):
    """fib(6) calls itself: from the outermost to the innermost there are 6 of them."""
    outer = min(s.depth for s in spans)
    inner = max(s.depth for s in spans)
    return [] if inner - outer == 5 else ["fib lies %d deep in itself" % (inner - outer)]


def whole(test, *flags):
    """The ring holds all of a small program."""
    with test.recorder("run", *flags, test.program, "--", "12") as r:
        ended = r.end()
        faults = test.faults(ended, r)
    if faults:
        return faults
    fibs, dones = test.spans("fib"), test.spans("done")
    if "calls %d" % len(fibs) not in ended.stdout:
        faults.append("%d calls of fib are in the trace, and: %s" % (len(fibs), ended.stdout))
    if len(dones) != 12 or len(test.spans("main")) != 1:
        faults.append("%d calls of done" % len(dones))
    if "exited with status %d." % STATUS not in ended.stderr:
        faults.append("how the program ended is not said: " + ended.stderr)
    return faults + depths_are_true(fibs)


def ring(test):
    """A small ring holds the end: main's end is there, its begin is not."""
    with test.recorder("run", "-snapshot-size", "8K", test.program, "--", "250") as r:
        ended = r.end()
        faults = test.faults(ended, r)
    if faults:
        return faults
    fibs = test.spans("fib")
    if not 10 * FIBS_A_ROUND < len(fibs) < 250 * FIBS_A_ROUND:
        faults.append("%d calls of fib are in the trace" % len(fibs))
    if not test.spans("_exit") and not test.spans("exit"):
        faults.append("the program's end is not in the trace")
    return faults + depths_are_true(fibs)


def trigger(test):
    """The first call of done: all 25 calls of fib lie before it."""
    with test.recorder("run", "-trigger", "done", test.program, "--", "60") as r:
        ended = r.end()
        faults = test.faults(ended, r)
    if faults:
        return faults
    dones = sorted(s.start for s in test.spans("done"))
    before = [s for s in test.spans("fib") if dones and s.start < dones[0]]
    hits = [e for e in fxt.read(test.trace) if "hits" in e.track]
    if len(before) != FIBS_A_ROUND:
        faults.append("%d calls of fib lie before the first of done" % len(before))
    if not hits:
        faults.append("no hit is in the trace")
    return faults


def attached(test, *flags, threads=1, seconds=0.5):
    """
    Attach to one that runs, for a while; it goes on, and is right. On a busy machine a thread may
    have no turn in that time: then a longer one is given.
    """
    program = subprocess.Popen([test.program, "1000000000", str(threads)],
                               stdout=subprocess.PIPE)
    try:
        with test.recorder("attach", "-pid", str(program.pid), *flags) as r:
            if not r.ready():
                return ["nothing was recorded: %s" % r.end().stderr]
            r.err.wait("Attached")
            # what it does meanwhile is seen; how much does not matter
            time.sleep(seconds)
            r.signal(signal.SIGINT)
            ended = r.end()
            faults = test.faults(ended, r, [program.pid])
        program.send_signal(signal.SIGTERM)
        said = program.communicate(timeout=60)[0].decode()
    finally:
        program.kill()
        program.wait()
    if program.returncode != STATUS or not said.startswith("calls "):
        faults.append("the program ended with %s, saying %r" % (program.returncode, said))
    if faults:
        return faults
    fibs = test.spans("fib")
    tracks = {s.track for s in fibs}
    if len(tracks) < threads and seconds < 10:
        return attached(test, *flags, threads=threads, seconds=4 * seconds)
    if len(tracks) != threads:
        faults.append("fib is on the tracks %s" % sorted(tracks))
    return faults + depths_are_true(fibs)


def attached_threads(test):
    return attached(test, "-multi-thread", threads=3)


TESTS = [
    ("run", whole),
    ("run -full-execution", whole, "-full-execution"),
    ("run -multi-thread", whole, "-multi-thread"),
    ("ring", ring),
    ("trigger", trigger),
    ("attach", attached),
    ("attach -multi-thread", attached_threads),
]


def cannot_test():
    """Why nothing can be tested; None."""
    if not all(map(shutil.which, ("unshare", "gcc", "perf"))):
        return "unshare, gcc or perf is not installed"
    p = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none",
                        "/sys/bus/event_source/devices"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return "unshare -m: " + p.stdout.decode().strip() if p.returncode else None


def inside(report, build):
    devices = "/sys/bus/event_source/devices"
    subprocess.run(["mount", "-t", "tmpfs", "none", devices], check=True)
    os.makedirs(os.path.join(devices, "intel_pt", "caps"))
    with open(os.path.join(devices, "intel_pt", "caps", "psb_cyc"), "w", encoding="utf-8") as f:
        f.write("1\n")
    with tempfile.TemporaryDirectory() as work:
        program = harness.compile_target(work, "fibs.c", "-O1", "-g", "-static")
        # the stepper is at its best alone on a CPU
        harness.check_all(report, [(name, function, Test(build, work, program), *args)
                                   for name, function, *args in TESTS], 2)


if __name__ == "__main__":
    harness.in_mount_namespace(harness.Report("e2e/pt-real"), __file__, inside, cannot_test)
