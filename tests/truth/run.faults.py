#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stacks of recordings that have a hole, against the true ones of the same run without it.

usage: run.faults.py [BUILD [NAME...]]

The recorder counts instructions as time, so that a program does the same at the same times each
time it is recorded. Once it is recorded whole, and then with a fault at a random place in main: the
CPU lost packets (overflow), or the kernel lost data (truncated). Of the spans that neither begin nor
end in the hole, 95 % have to be found; and 98 % of those that are shown have to be true.
With MT_LONG=1 more programs, at 20 places each.
"""
import os
import random
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import measure                  # noqa: E402
import programs                 # noqa: E402
import run as whole             # noqa: E402
import score                    # noqa: E402

NAMES = ("rec", "qs", "exc", "thr") if harness.LONG else ("rec", "thr")
KINDS = ("overflow", "truncated")
PLACES = 20 if harness.LONG else 1
RECALL, PRECISION = .95, .98
# Instructions that are lost: a function's worth, and more than all of them.
LENGTHS = (20, 200, 2000)

BRANCH = re.compile(r"^ *-?\d+/(-?\d+) +(\d+)\.(\d{9}): +\d+ +branches:\S* +(.*)$")
ERROR = re.compile(r"^ instruction trace error .* tid (-?\d+) ")


def holes(text):
    """By thread, pairs of times (from the first branch on): the last branch before what was lost,
    and where tracing starts again."""
    found, first, last, erred = {}, None, {}, set()
    with open(text, encoding="utf-8", errors="replace") as f:
        for line in f:
            branch, error = BRANCH.match(line), ERROR.match(line)
            if error:
                erred.add(error[1])
            if not branch:
                continue
            track, time = branch[1], int(branch[2] + branch[3])
            first = time if first is None else first
            if track in erred and branch[4].startswith("tr strt"):
                found.setdefault(track, []).append((last[track] - first, time - first))
                erred.discard(track)
            last[track] = time
    return found


def inside(true, rng):
    """A moment at which the code runs that counts, in the first thread."""
    main = [node for _, node in true["1"].walk() if whole.WITHIN.search(node.name)]
    node = max(main, key=lambda n: n.end - n.start)
    return rng.randrange(node.start, node.end)


class Holed:
    """A program's whole recording, and what is found in those with holes."""

    def __init__(self, build, work, name):
        self.build, self.name = build, name
        form = next(f for f in programs.quick_forms() if f.name == name)
        self.whole = measure.Recording(build, os.path.join(work, name))
        self.program = programs.build(form, self.whole.directory)
        self.whole.record([self.program], "-t", "instructions", "-i")
        self.true = score.load(self.whole.path("true.spans"))

    def counts(self, fault, directory):
        """None: the program was over before."""
        holed = measure.Recording(self.build, os.path.join(self.whole.directory, directory))
        holed.step([self.program], "-t", "instructions", "-i", "-F", fault)
        holed.decode()
        lost = holes(holed.path("perf.txt"))
        if not lost:
            return None
        return score.total(score.compare(self.true, score.load(holed.path("trace.fxt")),
                                         whole.WITHIN, lost=lost))


def check(build, work, name, shown):
    """What is wrong with one program; adds lines to be shown."""
    holed, rng, faults = Holed(build, work, name), random.Random(name), []
    for kind in KINDS:
        counted = []
        while len(counted) < PLACES:
            fault = "%s,%d,%d" % (kind, inside(holed.true, rng), rng.choice(LENGTHS))
            counts = holed.counts(fault, fault)
            if counts:
                counted.append(counts)
                print(score.line(name, counts), fault, flush=True)
        total = score.Counts(*map(sum, zip(*counted)))
        figures = score.figures(total)
        shown.append(score.line(name + " " + kind, total))
        if figures.recall < RECALL or figures.precision < PRECISION:
            faults.append("%s: recall %.3f, precision %.3f" % (kind, figures.recall,
                                                              figures.precision))
    return faults


def main():
    report, build = harness.Report("truth-faults"), harness.build_dir()
    why = whole.cannot_run(build)
    if why:
        report.skip("all", why)
        report.exit()
    chosen, shown, cpus = sys.argv[2:] or NAMES, [], whole.CpuOfThread()

    def one(work, name):
        cpus.take()
        return check(build, work, name, shown)

    with tempfile.TemporaryDirectory() as work:
        harness.check_all(report, [(name, one, work, name) for name in chosen],
                          len(os.sched_getaffinity(0)))
    print("\n".join(sorted(shown)))
    report.exit()


if __name__ == "__main__":
    main()
