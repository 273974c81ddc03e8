# SPDX-License-Identifier: MIT
"""What the sources of the test programs say of the true spans: a check of the truth itself.

The comment at the top of a source in progs/ has, behind a line "Spans:", lines

    FUNCTION  COUNT  CALLER...

all words between tabs or blanks: so often the function is called (*: it depends), and only by
these (*: any). Every call of it is a span, right on one of its caller.
"""
import collections
import re

Expected = collections.namedtuple("Expected", "count callers")
LINE = re.compile(r"^ \*\t(\S+)\s+(\d+|\*)\s+(.*\S)$")


def expectations(source):
    """By function."""
    with open(source, encoding="utf-8") as f:
        comment = f.read().partition("*/\n")[2].partition("*/")[0]
    found = {}
    for line in comment.partition(" * Spans:\n")[2].splitlines():
        m = LINE.match(line)
        if m:
            found[m[1]] = Expected(m[2], m[3].split())
    return found


def plain(name):
    """A function as its source calls it: two of "(anonymous namespace)::two(int)"."""
    return name.replace("(anonymous namespace)::", "").split("(")[0]


def faults(expected, trees):
    """What is wrong with the true spans of all threads."""
    found, counts, depths = [], collections.Counter(), set()
    for tree in trees.values():
        for depth, node in tree.walk():
            name = plain(node.name)
            counts[name] += 1
            if name == "main":
                depths.add(depth)
            found += misplaced(node, expected.get(name))
    for name, (count, _) in expected.items():
        if counts[name] == 0 or count not in ("*", str(counts[name])):
            found.append("%s: %d spans, not %s" % (name, counts[name], count))
    if len(depths) != 1:
        found.append("main is at the depths %s" % sorted(depths))
    return found


def misplaced(node, expected):
    caller, found = node.parent, []
    if expected and expected.callers != ["*"] and \
            (caller.name is None or plain(caller.name) not in expected.callers):
        found.append("%s at %d is called by %s" % (node.name, node.start, caller.name))
    if caller.name is not None and not caller.start <= node.start <= node.end <= caller.end:
        found.append("%s at %d is not within its caller %s" % (node.name, node.start, caller.name))
    return found
