#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the stacks of a trace first leave the true ones, whatever the times.

usage: firstdiff.py [-n N] SPANS TRACE [TEXT]

For each thread the first N (6) places, by time, at which one of the two trees has a span, with all
that lies under it, that the other has not: START +LENGTH, which has it, and the way there. With the
text of `perf script`, also the lines of that thread round the first of them.
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import score                    # noqa: E402

LINE = re.compile(r"^ *-?\d+/(-?\d+) +(\d+)\.(\d{9}): +\d+ +branches:")
WAY = 6                         # callers that are shown


def way_to(node):
    names = []
    while node.name is not None:
        names.append(node.name)
        node = node.parent
    return " > ".join(reversed(names[:WAY]))


def differences(comparison):
    """(node, who has it) of the topmost spans that only one side has, by time."""
    found, todo = [], [comparison.roots()]
    while todo:
        a, b = todo.pop()
        pairs = score.align(a, b)
        have = {id(node) for pair in pairs for node in pair}
        found += [(node, "true") for node in a if id(node) not in have]
        found += [(node, "reported") for node in b if id(node) not in have]
        todo += [(x.children, y.children) for x, y in pairs]
    return sorted(found, key=lambda d: (d[0].start, d[0].end))


def lines_at(text, thread, time):
    """perf's lines of a thread round a time that counts from the first branch."""
    first, before = None, []
    with open(text, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = LINE.match(line)
            if not m:
                continue
            at = int(m[2] + m[3])
            first = at if first is None else first
            if m[1] != thread:
                continue
            before = before[-5:] + [line.rstrip()]
            if at - first > time:
                break
    return before


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=6)
    parser.add_argument("spans")
    parser.add_argument("trace")
    parser.add_argument("text", nargs="?")
    args = parser.parse_args()
    true, got = score.load(args.spans), score.load(args.trace)
    for track in sorted(set(true) & set(got)):
        found = differences(score.Comparison(true[track], got[track]))
        print("thread %s: %d differences" % (track, len(found)))
        for node, who in found[:args.n]:
            print("  %9d +%-8d %-8s only: %s" % (node.start, node.end - node.start, who,
                                                 way_to(node)))
        if found and args.text:
            print("\n".join(lines_at(args.text, track, found[0][0].start)))


if __name__ == "__main__":
    main()
