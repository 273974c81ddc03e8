#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How near the stacks of a trace are to the true ones.

usage: score.py [--tolerance NS] [--within REGEX] [--lost TRACK:FROM-TO]... [--show N] SPANS TRACE

SPANS as truth.py writes them, TRACE an FXT file (plain or gzip'd) or such spans too. One line a
thread, and one for all:

recall      the share of true spans that are in the trace: one has the same name and depth, and
            begins and ends no further than the tolerance (150 ns) from it; none counts twice
precision   the share of the trace's spans that are true in this sense
nesting     as recall, but the names of all its callers must be those of the true span too
shape       the share of true spans that have their place in the trace's tree, whatever the times:
            from the top down, the children of spans that have theirs are paired with equal names
            in the same order

So when shape is below 1, the stacks are wrong; when recall is below shape, the times are.

Depths may differ by a constant, up to 8, the same for all spans of a thread. Spans that are no
frames ([syscall] and its like), and those of functions that nobody knows, count on neither side:
what lies on them lies on what is below. Threads are paired by number; what a track has that
belongs to none is not true.

--lost T:FROM-TO  nothing was recorded of thread T between these times: spans that begin or end then
                 count on neither side, for nobody knows of that
--within REGEX   only spans of functions whose name matches, and what they call: '^main$'
--show N         the first N true spans that are missed, and the trace's that are not true
"""
import argparse
import collections
import difflib
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tree                     # noqa: E402

TOLERANCE = 150
MOST_APART = 8                  # levels that all depths of a thread may be apart

# How many: true spans, the trace's, and of those what recall, precision, nesting, shape say.
Counts = collections.namedtuple("Counts", "true reported found right nested placed")
Figures = collections.namedtuple("Figures", "recall precision nesting shape")


def figures(counts):
    """Shares, 0 of nothing."""
    true, reported = max(counts.true, 1), max(counts.reported, 1)
    return Figures(counts.found / true, counts.right / reported, counts.nested / true,
                   counts.placed / true)


class Item:
    """A span as it is compared. counts: whether it is one of those that are asked for. chain: a
    number for its name and those of its callers."""
    __slots__ = ("node", "depth", "chain", "counts")

    def __init__(self, node, depth, counts):
        self.node, self.depth, self.counts = node, depth, counts
        self.chain = 0


def items_of(a_tree, within, lost):
    """The spans of a thread, parents first. lost: pairs of times."""
    inside, items = {id(a_tree.root): within is None}, []
    for depth, node in a_tree.walk():
        counts = inside[id(node.parent)] or bool(within and within.search(node.name))
        inside[id(node)] = counts
        unknown = any(a <= edge <= b for a, b in lost for edge in (node.start, node.end))
        items.append(Item(node, depth, counts and not unknown))
    return items


def number_chains(items, drop, numbers):
    """Sets the chains, of which the outermost `drop` levels are left out (what lies in these is
    judged by its name alone). Chains that are equal have one number in `numbers`."""
    chains = {}
    for item in items:
        parent = chains.get(id(item.node.parent), 0) if item.depth > drop else 0
        item.chain = numbers.setdefault((parent, item.node.name), len(numbers) + 1)
        chains[id(item.node)] = item.chain


def match(true, got, key_of_true, key_of_got, tolerance):
    """For each true item, the index of the one in got that is nearest to it among those with
    the same key, within the tolerance, and not taken by an earlier one; or None."""
    pool, first = collections.defaultdict(list), collections.Counter()
    for index, item in enumerate(got):
        pool[key_of_got(item)].append(index)
    taken, found = set(), []
    for item in true:
        key, start, end = key_of_true(item), item.node.start, item.node.end
        candidates, best, at = pool.get(key, ()), None, first[key]
        while at < len(candidates) and got[candidates[at]].node.start < start - tolerance:
            at += 1
        first[key] = at
        while at < len(candidates) and got[candidates[at]].node.start <= start + tolerance:
            index = candidates[at]
            node = got[index].node
            if index not in taken and abs(node.end - end) <= tolerance:
                distance = abs(node.start - start) + abs(node.end - end)
                best = min(best or (distance, index), (distance, index))
            at += 1
        taken.add(best[1] if best else None)
        found.append(best[1] if best else None)
    return found


def align(a, b):
    """Pairs of nodes with equal names of two lists of siblings, in order."""
    first, last = 0, 0
    shorter = min(len(a), len(b))
    while first < shorter and a[first].name == b[first].name:
        first += 1
    while last < shorter - first and a[-1 - last].name == b[-1 - last].name:
        last += 1
    pairs = list(zip(a[:first], b[:first]))
    a_rest, b_rest = a[first:len(a) - last], b[first:len(b) - last]
    if a_rest and b_rest:
        matcher = difflib.SequenceMatcher(None, [n.name for n in a_rest],
                                          [n.name for n in b_rest], autojunk=False)
        for x, y, size in matcher.get_matching_blocks():
            pairs += zip(a_rest[x:x + size], b_rest[y:y + size])
    return pairs + list(zip(a[len(a) - last:], b[len(b) - last:]))


def roots_below(a_tree, drop):
    """The outermost spans when `drop` levels are left out."""
    roots = a_tree.root.children
    for _ in range(drop):
        roots = [child for node in roots for child in node.children]
    return roots


def paired(true_roots, got_roots):
    """Pairs of spans that have the same place in two trees."""
    todo = [(true_roots, got_roots)]
    while todo:
        for pair in align(*todo.pop()):
            yield pair
            todo.append((pair[0].children, pair[1].children))


class Comparison:
    """A true thread and the trace's. apart: by how much the trace's depths are greater."""

    def __init__(self, true_tree, got_tree, within=None, tolerance=TOLERANCE, lost=()):
        lost = [(a - tolerance, b + tolerance) for a, b in lost]
        self.true, self.got = [items_of(t, within, lost) for t in (true_tree, got_tree)]
        self.trees, self.tolerance = (true_tree, got_tree), tolerance
        self.apart, self.found = self._match_by_depth()

    def _match_by_depth(self):
        best = None
        for apart in sorted(range(-MOST_APART, MOST_APART + 1), key=abs):
            found = match(self.true, self.got, lambda i: (i.node.name, i.depth),
                          lambda i, apart=apart: (i.node.name, i.depth - apart), self.tolerance)
            n = sum(index is not None for index in found)
            if best is None or n > best[0]:
                best = n, apart, found
            if n == min(len(self.true), len(self.got)):
                break
        return best[1:]

    def _drops(self):
        """How many outermost levels only one side has."""
        return max(-self.apart, 0), max(self.apart, 0)

    def roots(self):
        """Two lists: the outermost spans of the levels that both sides have."""
        return [roots_below(t, drop) for t, drop in zip(self.trees, self._drops())]

    def nested(self):
        numbers = {}
        for items, drop in zip((self.true, self.got), self._drops()):
            number_chains(items, drop, numbers)
        found = match(self.true, self.got, lambda i: i.chain, lambda i: i.chain, self.tolerance)
        return sum(index is not None and i.counts for i, index in zip(self.true, found))

    def placed(self):
        counted = {id(i.node) for i in self.true if i.counts}
        return sum(id(node) in counted for node, _ in paired(*self.roots()))

    def missed(self):
        return [i for i, index in zip(self.true, self.found) if index is None and i.counts]

    def wrong(self):
        right = set(self.found)
        return [i for n, i in enumerate(self.got) if n not in right and i.counts]

    def counts(self):
        true = sum(i.counts for i in self.true)
        got = sum(i.counts for i in self.got)
        return Counts(true, got, true - len(self.missed()), got - len(self.wrong()),
                      self.nested(), self.placed())


def load(path):
    """Trees by track, from a trace or a file of spans."""
    with open(path, "rb") as f:
        magic = f.read(8)
    is_trace = magic[:2] == b"\x1f\x8b" or magic == b"\x10\0\x04\x46\x78\x54\x16\0"
    return tree.read_trace(path) if is_trace else tree.read_spans(path)


def compare(true, got, within=None, tolerance=TOLERANCE, lost=None):
    """Comparisons by track, of two dicts of trees: all true threads, then other tracks. lost: by
    track, pairs of times between which nothing was recorded."""
    found = {}
    for track in sorted(true, key=lambda t: (len(t), t)) + sorted(set(got) - set(true)):
        found[track] = Comparison(true.get(track, tree.Tree()), got.get(track, tree.Tree()),
                                  within, tolerance, (lost or {}).get(track, ()))
    return found


def total(comparisons):
    return Counts(*map(sum, zip(*(c.counts() for c in comparisons.values()))))


def line(name, counts):
    return "%-10s %8d %8d %8.4f %9.4f %8.4f %8.4f" % (name, counts.true, counts.reported,
                                                     *figures(counts))


def print_table(comparisons):
    print("%-10s %8s %8s %8s %9s %8s %8s" % ("thread", "true", "reported", *Figures._fields))
    for track, comparison in comparisons.items():
        print(line(track, comparison.counts()))
    print(line("all", total(comparisons)))


def pattern(regex):
    return re.compile(regex) if regex else None


def lost_times(words):
    """By track, from TRACK:FROM-TO."""
    lost = collections.defaultdict(list)
    for word in words:
        track, _, times = word.rpartition(":")
        lost[track].append(tuple(map(int, times.split("-"))))
    return lost


def show(what, track, items, n):
    print("thread %s: %d %s (depth, start, length, name < caller)" % (track, len(items), what))
    for item in items[:n]:
        node = item.node
        print("  %3d %9d %7d %s < %s" % (item.depth, node.start, node.end - node.start, node.name,
                                         node.parent.name or ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spans")
    parser.add_argument("trace")
    parser.add_argument("--tolerance", type=int, default=TOLERANCE)
    parser.add_argument("--within")
    parser.add_argument("--lost", action="append", default=[])
    parser.add_argument("--show", type=int, default=0)
    args = parser.parse_args()
    comparisons = compare(load(args.spans), load(args.trace), pattern(args.within),
                          args.tolerance, lost_times(args.lost))
    print_table(comparisons)
    for track, comparison in comparisons.items():
        if args.show:
            show("true spans are missed", track, comparison.missed(), args.show)
            show("reported spans are not true", track, comparison.wrong(), args.show)


if __name__ == "__main__":
    main()
