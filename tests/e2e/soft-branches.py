#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Single-stepping: the branches that perf decodes are those that were executed, thread by thread.

The truth is the log of the stepper (softstep -b), which has seen each instruction; what is judged
is what `perf script` makes of the packets. What the programs print says that they are unharmed.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
from softtrace import Place, cannot_test, compare, run_case     # noqa: E402

CASES = [                       # name, program, what it prints
    ("hello", "static fib", "fib 55\n"),
    ("fib", "soft fib", "fib 55\n"),
    ("qsort", "soft qsort", "qsort\n"),
    ("dlopen", "soft dlopen", "dlopen 0.914653\n" * 2),
    ("exception", "throws", "throws 2 5\n"),
    ("signals", "soft signals", "signals 7 3 1 x\n"),
    ("threads", "soft threads", None),
    ("exec", "soft exec", "fib 55\n"),
    ("fork", "soft fork", "fork 3 0\n"),
    ("odd", "soft odd", "odd 3 0 %d 1 1\n" % len(os.sched_getaffinity(0))),
]
SLOW = {"qsort", "dlopen", "exception"}    # soft-qemu has them too; here in the long form
# With all start-up: a static program; one with the dynamic linker has "exec", too.
WHOLE = {"hello"} if not harness.LONG else {name for name, _, _ in CASES}


def forms(place):
    """The same with other packets, per CPU, with children, and faults of hardware."""
    yield "per-cpu", run_case(place, "cpu", "soft threads", None, "-C", "-m", "-n")
    yield "children", run_case(place, "children", "static fork", "fork 3 0\n", "-f")
    yield "real time", run_case(place, "real", "soft fib", "fib 55\n", "-t", "real", "-T", "40")
    yield "overflow", run_case(place, "overflow", "soft fib", "fib 55\n", "-F",
                               "overflow,4000,500", error="Overflow packet")
    yield "truncated", run_case(place, "lost", "soft fib", "fib 55\n", "-F",
                                "truncated,4000,500", error="Lost trace data")
    yield "cut", cut(place)
    yield "ring", ring(place)
    yield "snapshots", snapshots(place)
    yield "trigger", trigger(place)


def cut(place):
    """Bytes are missing: an error, and what follows the next PSB is right again."""
    # in start-up: code that varies, where other branches than those that were taken lead astray
    ended = place.record("cut", "-t", "instructions", "-n", "-z", "0", "-F", "cut,1501,333", "--",
                         *place.argv("static fib"), whole=True)
    want, (got, errors, others) = place.logged("cut"), place.decoded("cut")
    faults = others + ([] if errors else ["no error"])
    for tid, branches in want.items():
        tail, head = got[tid][-400:], got[tid][:400]
        if branches[-400:] != tail or branches[:400] != head:
            faults.append("what is before or behind the cut differs")
        if not 0 < len(branches) - len(got[tid]) < 1000:
            faults.append("%d of %d decoded" % (len(got[tid]), len(branches)))
    return faults + ([ended.stderr] if ended.returncode else [])


def ring(place):
    """A ring has the last part."""
    ended = place.record("ring", "-n", "-z", "0", "-r", "4096", "-R", "--",
                         *place.argv("soft fib15"))
    want, (got, errors, others) = place.logged("ring"), place.decoded("ring")
    faults = errors + others
    for tid, branches in got.items():
        # the first is made up by perf: where it begins
        if len(branches) < 500 or want[tid][-len(branches) + 1:] != branches[1:]:
            faults.append("%d decoded, of %d" % (len(branches), len(want[tid])))
        if len(branches) >= len(want[tid]):
            faults.append("the ring has lost nothing")
    return faults + ([ended.stderr] if ended.returncode or not got else [])


def snapshots(place):
    """Snapshots so often that the ring loses nothing have all but the rest."""
    ended = place.record("snapshots", "-n", "-z", "0", "-r", "8192", "-s", "5000", "--",
                         *place.argv("soft fib15"))
    want, (got, errors, others) = place.logged("snapshots"), place.decoded("snapshots")
    faults = errors + others
    for tid, branches in got.items():
        if len(branches) < 5000 or want[tid][:len(branches)] != branches:
            faults.append("%d decoded, of %d" % (len(branches), len(want[tid])))
        if len(branches) >= len(want[tid]):
            faults.append("what was in the ring at the end was written")
    return faults + ([ended.stderr] if ended.returncode or not got else [])


def trigger(place):
    """Stops before the instruction at an address: the last branch is the call to it."""
    names = subprocess.run(["nm", place.programs["static"]], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    address = next(l.split()[0].lstrip("0") for l in names.splitlines() if l.endswith(" t fib"))
    ended = place.record("trigger", "-a", address, "--", *place.argv("static fib"))
    last = [b for b in place.logged("trigger").values() for b in b][-2:]
    faults = compare(place, "trigger")
    if ended.returncode or ended.stdout != "fib 55\n":
        faults.append("status %d: %s" % (ended.returncode, ended.stdout + ended.stderr))
    if last[0][0] != "call" or last[0][2] != address or last[1] != ("tr_end_async", address, "0"):
        faults.append("the end is %s" % last)
    return faults


def main():
    report = harness.Report("e2e/soft-branches")
    build = harness.build_dir()
    why = cannot_test(build)
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        place = Place(build, work)
        for name, words, printed in CASES:
            if name in SLOW and not harness.LONG:
                continue
            report.check(name, harness.faults_of(run_case, place, name, words, printed,
                                                 whole=name in WHOLE))
        for name, faults in forms(place):
            report.check(name, faults)
    report.exit()


if __name__ == "__main__":
    main()
