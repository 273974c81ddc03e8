#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Senseless streams of events: whatever comes in, spans nest, each begin has its end, no time is
negative, the depth cap holds, every frame is drawn or counted, and neither the size of the reader's
pieces nor the memory for waiting spans changes anything.

usage: hostile.py [BUILD [FIRST_SEED COUNT]]
"""
import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import harness                  # noqa: E402
import cases                    # noqa: E402
import compare                  # noqa: E402
import generate                 # noqa: E402

BATCH = 300


def other_settings(case, seed):
    """The same case, read in other pieces and with other room for what waits."""
    other = copy.copy(case)
    other.chunk = [1, 2, 3, 64, 1000][seed % 5]
    other.budget = [1, 1, 4096][seed % 3]
    return other


def frames(result):
    """How many frames are drawn, those of untraced code included."""
    return sum(s[0] == "B" or s[0] == "X" and s[3] == compare.UNTRACED for s in result.spans)


def draws_gap(result):
    return any(s[0] == "X" and s[3].startswith("[lost: ") for s in result.spans)


def check(case, result, again):
    out = compare.faults(result.spans, case.max_depth)
    if result.lines != again.lines:
        out.append("other spans with other pieces or less memory")
    if result.stats != again.stats:
        out.append("other counts with other pieces or less memory: %s, %s" % (result.stats,
                                                                              again.stats))
    shown, stats = frames(result), result.stats
    if not case.filter and shown + stats["hidden"] != stats["calls"] + stats["inlined"]:
        out.append("%d frames shown and %d hidden of %d and %d" % (
            shown, stats["hidden"], stats["calls"], stats["inlined"]))
    if not case.max_depth and stats["hidden"]:
        out.append("frames hidden without a cap")
    return ["%s: %s" % (case.label, f) for f in out[:3]]


def main():
    report = harness.Report("diff/hostile")
    build = harness.build_dir()
    first, count = 0, 30000 if harness.LONG else 1500
    if len(sys.argv) > 3:
        first, count = int(sys.argv[2]), int(sys.argv[3])
    bad, deepest, spans, over_gaps = [], 0, 0, 0
    for at in range(first, first + count, BATCH):
        seeds = range(at, min(at + BATCH, first + count))
        batch = [generate.hostile(s) for s in seeds]
        try:
            results = cases.run_cases(build, batch)
            again = cases.run_cases(build, [other_settings(c, s) for c, s in zip(batch, seeds)])
        except cases.DriverDied as e:
            bad.append("%s: %s" % (e.case.label if e.case else "?", e.why))
            break
        for case, one, two in zip(batch, results, again):
            bad += check(case, one, two)
            spans += len(one.spans)
            deepest += one.stats["hidden"] > 0
            over_gaps += one.stats["inlined"] > 0 and draws_gap(one)
    if not bad and (spans < 10 * count or not deepest or over_gaps < count / 100):
        bad.append("the streams show nothing: %d spans, %d capped, %d with inlined functions "
                   "and gaps" % (spans, deepest, over_gaps))
    report.check("%d streams" % count, bad)
    report.exit()


if __name__ == "__main__":
    main()
