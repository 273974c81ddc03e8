# SPDX-License-Identifier: MIT
"""Spans of a thread as a tree: what truth.py makes, and what score.py and firstdiff.py compare.

A file of spans has a line each, sorted by track, start, and parents first:
    TRACK DEPTH START LENGTH NAME
TRACK (the thread's number) and NAME as JSON strings; times in ns from the first branch of the
recording.
"""
import json
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import fxt                      # noqa: E402

# Spans that are no frames, or whose function nobody knows.
SYNTHETIC = re.compile(r"\[(syscall|untraced|returned|unknown|decode error|interrupt|lost: )")

# What compilers put behind the name of a function's clone; demanglers write it in brackets.
CLONE = re.compile(r"(?: \[clone [^\]]*\]|\.(?:cold|localalias|constprop|isra|part|lto_priv|llvm)"
                   r"(?:\.\d+)?)+$")
# What ends a Rust name of the older kind.
RUST_HASH = re.compile(r"::h[0-9a-f]{16}$")


def shown_name(name):
    """What a trace calls a function, by perf's name: a clone as the function itself."""
    return RUST_HASH.sub("", CLONE.sub("", name))


class Node:
    """A span. end is None while it is not known."""
    __slots__ = ("name", "start", "end", "parent", "children")

    def __init__(self, name, start, end, parent):
        self.name, self.start, self.end = name, start, end
        self.parent, self.children = parent, []


class Tree:
    """What one thread did: a root, which is no span, with the outermost spans under it."""

    def __init__(self):
        self.root = Node(None, None, None, None)
        self.last = 0           # the latest moment at which something begins or ends

    def add(self, parent, name, start, end):
        node = Node(name, start, end, parent)
        parent.children.append(node)
        self.last = max(self.last, start, start if end is None else end)
        return node

    def walk(self):
        """Pairs (depth, span), parents first."""
        todo = [(0, node) for node in reversed(self.root.children)]
        while todo:
            depth, node = todo.pop()
            yield depth, node
            todo += [(depth + 1, child) for child in reversed(node.children)]

    def finish(self):
        """Ends what has no end; takes out what is synthetic: its children are its parent's."""
        for _, node in self.walk():
            if node.end is None:
                node.end = self.last
        self.root.children = self._kept(self.root)
        for _, node in self.walk():
            node.children = self._kept(node)
        return self

    @staticmethod
    def _kept(parent):
        """Its nearest descendants that are not synthetic."""
        kept, todo = [], list(reversed(parent.children))
        while todo:
            node = todo.pop()
            if SYNTHETIC.match(node.name):
                todo += reversed(node.children)
                continue
            node.parent = parent
            kept.append(node)
        return kept


def read_spans(path):
    """Trees by track, from a file of spans."""
    trees, open_spans, decoder = {}, {}, json.JSONDecoder()
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        for line in f:
            track, at = decoder.raw_decode(line)
            depth, start, length, name = line[at:].split(None, 3)
            tree = trees.setdefault(track, Tree())
            stack = open_spans.setdefault(track, [tree.root])
            del stack[int(depth) + 1:]
            start = int(start)
            stack.append(tree.add(stack[-1], json.loads(name), start, start + int(length)))
    return {track: tree.finish() for track, tree in trees.items()}


def read_trace(path):
    """Trees by track, from an FXT file: a thread's track is its number, others have their name."""
    trees, open_spans = {}, {}
    events = [e for e in fxt.read(path, deepest=None) if e.ph in "BEX"]
    for e in sorted(events, key=lambda e: e.time):
        track = e.track.rpartition("/")[2]
        tree = trees.setdefault(track, Tree())
        stack = open_spans.setdefault(track, [tree.root])
        if e.ph == "B":
            stack.append(tree.add(stack[-1], e.name, e.time, None))
        elif e.ph == "X":
            tree.add(stack[-1], e.name, e.time, e.end)
        elif len(stack) > 1:
            stack.pop().end = e.time
            tree.last = max(tree.last, e.time)
    return {track: tree.finish() for track, tree in trees.items()}
