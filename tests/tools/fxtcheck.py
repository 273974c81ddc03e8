#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a trace file is sound: what must hold for each that we write, whatever was recorded.

Written from the format's reference (Fuchsia trace format; RFC 1952 for gzip), and shares nothing with
the writer, nor with fxtdump.py. Stricter than viewers are: sizes of records and arguments, padding,
references to strings and threads that were not defined, text that is not UTF-8 or has control
characters, spans that do not nest, ends without a begin and begins without an end, times that are
negative or run backwards, arrows without a begin, checksums and sizes of gzip.

usage: fxtcheck.py FILE...      prints what is wrong, a line a fault; status 1 when anything is
"""
import re
import struct
import sys
import zlib

MAGIC = 0x0016547846040010
INFINITE = 1 << 64
DEEPEST = 512                   # open spans of a track that viewers take
INSTANT, COUNTER, BEGIN, END, COMPLETE, FLOW_BEGIN, FLOW_END = 0, 1, 2, 3, 4, 8, 10
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
# What is put behind the name of a begin that was inferred, when that is asked for.
INFERRED = " [inferred start time]"


class Broken(Exception):
    """What follows cannot be read any more."""


def unpacked(data):
    """The bytes of a gzip file: of all its members, which end where the file ends."""
    out = b""
    while data:
        member = zlib.decompressobj(31)     # checks CRC and size
        try:
            out += member.decompress(data)
        except zlib.error as e:
            raise Broken("gzip: %s" % e) from e
        if not member.eof:
            raise Broken("gzip: the file is cut")
        data = member.unused_data
    return out


class Checker:
    def __init__(self, data, deepest):
        if len(data) % 8:
            raise Broken("a size of %d bytes, which are no words" % len(data))
        self.data = data
        self.words = struct.unpack("<%dQ" % (len(data) // 8), data)
        self.deepest = deepest
        self.faults = []
        self.strings = {}
        self.threads = {}
        self.tracks = {}        # (process, thread): [(time, kind, name, end)]
        self.flows = {}         # id: which ends were seen
        self.events = 0

    def fault(self, at, what):
        if len(self.faults) < 20:
            self.faults.append("word %d: %s" % (at, what))

    def text(self, at, n, end):
        """n bytes from word `at` on, and the word behind them."""
        behind = at + (n + 7) // 8
        if behind > end:
            raise Broken("word %d: a text of %d bytes goes on behind its record" % (at, n))
        if any(self.data[8 * at + n:8 * behind]):
            self.fault(at, "what fills up a text is not 0")
        try:
            text = self.data[8 * at:8 * at + n].decode()
        except UnicodeDecodeError as e:
            self.fault(at, "no UTF-8: %s" % e)
            return "", behind
        if CONTROL.search(text):
            self.fault(at, "a control character in %r" % text)
        return text, behind

    def string(self, ref, at, end):
        """What a reference means, and the word behind what stands inline."""
        if ref & 0x8000:
            return self.text(at, ref & 0x7fff, end)
        if ref and ref not in self.strings:
            self.fault(at, "string %d is not defined" % ref)
        return self.strings.get(ref, ""), at

    def arguments(self, n, at, end):
        """Reads n of them; the word behind them."""
        for _ in range(n):
            if at >= end:
                raise Broken("word %d: an argument behind the end of its record" % at)
            head = self.words[at]
            kind, behind = head & 15, at + (head >> 4 & 0xfff)
            if behind == at or behind > end:
                raise Broken("word %d: the size of an argument" % at)
            _, p = self.string(head >> 16 & 0xffff, at + 1, behind)
            if kind == 6:
                _, p = self.string(head >> 32 & 0xffff, p, behind)
            elif kind in (3, 4, 5, 7, 8):
                p += 1
            elif kind not in (0, 1, 2, 9):
                self.fault(at, "an argument of kind %d" % kind)
                p = behind
            if p != behind:
                self.fault(at, "an argument of kind %d has another size" % kind)
            at = behind
        return at

    def event(self, head, at, end):
        if end - at < 2:
            raise Broken("word %d: an event without a time" % at)
        kind, thread, time = head >> 16 & 15, head >> 24 & 0xff, self.words[at + 1]
        if thread not in self.threads:
            self.fault(at, "thread %d is not defined" % thread)
        _, p = self.string(head >> 32 & 0xffff, at + 2, end)
        name, p = self.string(head >> 48, p, end)
        p = self.arguments(head >> 20 & 15, p, end)
        extra = None
        if kind in (COUNTER, COMPLETE, FLOW_BEGIN, FLOW_END) and p < end:
            extra, p = self.words[p], p + 1
        elif kind not in (INSTANT, BEGIN, END):
            self.fault(at, "an event of kind %d that is too short or that nobody writes" % kind)
        if p != end:
            self.fault(at, "an event of another size than what it holds")
        if time >> 63 or kind == COMPLETE and (extra or 0) >> 63:
            self.fault(at, "a negative time")
        if kind == COMPLETE and (extra or 0) < time:
            self.fault(at, "a span that ends before it begins")
        if kind in (FLOW_BEGIN, FLOW_END):
            self.flow(at, kind, extra, time)
        self.events += 1
        if kind in (BEGIN, END, COMPLETE):
            track = self.tracks.setdefault(self.threads.get(thread), [])
            track.append((time, kind, name, extra))

    def flow(self, at, kind, number, time):
        seen = self.flows.setdefault(number, {})
        if kind in seen:
            self.fault(at, "arrow %d has two such ends" % number)
        seen[kind] = time

    def arrows(self):
        """A stack that was left may never go on: then nothing is drawn."""
        for number, seen in self.flows.items():
            if seen.get(FLOW_END, INFINITE) < seen.get(FLOW_BEGIN, INFINITE):
                self.faults.append("arrow %s ends before it begins, or has no begin" % number)

    def define_string(self, head, at, end):
        number, n = head >> 16 & 0xffff, head >> 32 & 0x7fff
        if not 0 < number < 0x8000:
            self.fault(at, "string %d cannot be defined" % number)
        text, p = self.text(at + 1, n, end)
        if p != end:
            self.fault(at, "a string's record of another size")
        self.strings[number] = text

    def object(self, head, at, end):
        if end - at < 2:
            raise Broken("word %d: an object without a number" % at)
        _, p = self.string(head >> 24 & 0xffff, at + 2, end)
        if self.arguments(head >> 40 & 15, p, end) != end:
            self.fault(at, "an object's record of another size")

    def metadata(self, head, at, end):
        """What wrote the file, and that its records follow; the magic number."""
        kind, p = head >> 16 & 15, at + 1
        if kind == 1:
            _, p = self.text(p, head >> 52 & 0xff, end)
        if p != end or kind not in (1, 2) and head != MAGIC:
            self.fault(at, "metadata of kind %d, or of another size" % kind)

    def record(self, at):
        """The word behind the record."""
        head = self.words[at]
        kind, end = head & 15, at + (head >> 4 & 0xfff)
        if end == at or end > len(self.words):
            raise Broken("word %d: a record of kind %d with a size of %d words" % (
                at, kind, end - at))
        if kind == 1:
            if end - at not in (2, 4) or self.words[at + 1] != 1000000000:
                self.fault(at, "times are not in ns")
        elif kind == 2:
            self.define_string(head, at, end)
        elif kind == 3:
            if end - at != 3 or not head >> 16 & 0xff:
                raise Broken("word %d: a thread's record" % at)
            self.threads[head >> 16 & 0xff] = self.words[at + 1:at + 3]
        elif kind == 4:
            self.event(head, at, end)
        elif kind == 7:
            self.object(head, at, end)
        elif kind == 0:
            self.metadata(head, at, end)
        else:
            self.fault(at, "a record of kind %d, which nobody writes" % kind)
        return end

    def nesting(self, key, track):
        """Takes the spans as viewers do: by time, equal ones as they are in the file."""
        track.sort(key=lambda e: e[0])
        stack, leaf_end = [], 0
        for time, kind, name, end in track:
            if time < leaf_end and not (kind == COMPLETE and end == time):
                self.faults.append("track %s: %r at %d lies in a leaf" % (key, name, time))
            if kind == COMPLETE:
                leaf_end = max(leaf_end, end or 0)
            elif kind == BEGIN:
                stack.append(name)
            elif not stack:
                self.faults.append("track %s: %r ends at %d and has no begin" % (key, name, time))
            elif stack.pop() not in (name, name + INFERRED) and name:
                self.faults.append("track %s: %r at %d ends another one" % (key, name, time))
            if self.deepest and len(stack) > self.deepest:
                self.faults.append("track %s: deeper than %d at %d" % (key, self.deepest, time))
                return
        if stack:
            self.faults.append("track %s: %r never ends" % (key, stack[-1]))

    def run(self):
        if not self.words or self.words[0] != MAGIC:
            raise Broken("no magic number")
        at = 0
        while at < len(self.words):
            at = self.record(at)
        for key, track in self.tracks.items():
            self.nesting(key, track)
        self.arrows()
        if not self.events:
            self.faults.append("no events")


def faults_of(data, deepest=DEEPEST):
    """What is wrong with a file of these bytes, as a list. deepest: None: as deep as you like."""
    checker = None
    try:
        checker = Checker(unpacked(data) if data[:2] == b"\x1f\x8b" else data, deepest)
        checker.run()
    except Broken as e:
        return (checker.faults if checker else []) + [str(e)]
    return checker.faults


def faults(path, deepest=DEEPEST):
    with open(path, "rb") as f:
        return faults_of(f.read(), deepest)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    bad = [(path, fault) for path in sys.argv[1:] for fault in faults(path)]
    for path, fault in bad:
        print("%s: %s" % (path, fault))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
