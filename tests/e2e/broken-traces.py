#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What looks at our traces in tests (fxtcheck.py) is looked at itself: sound traces, of the cases in
tests/golden, are broken in each way that it should see, at each place where that can be done."""
import gzip
import os
import shutil
import struct
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
from harness import fxtcheck    # noqa: E402

GOLDEN = os.path.join(HERE, "..", "golden")
# Of the files that are broken in one way, so many are looked at; all of them in the long form.
MOST = 100
CASES = ["call-return", "fiber-ring", "extra-events", "ptwrite", "cbr", "lost", "threads", "hits"]
STRING, THREAD, EVENT, OBJECT = 2, 3, 4, 7
BEGIN, END, COMPLETE = 2, 3, 4


def traces(build):
    """The bytes of a trace of each case."""
    for name in CASES:
        with tempfile.TemporaryDirectory() as work:
            shutil.copy(os.path.join(GOLDEN, name, "in.txt"), os.path.join(work, "perf.data"))
            json = os.path.join(GOLDEN, name, "recording.json")
            if os.path.exists(json):
                shutil.copy(json, work)
            run = harness.decode(build, work)
            with open(run.path, "rb") as f:
                yield name, f.read()


class Trace:
    def __init__(self, name, data):
        self.name = name
        self.data = data
        self.words = list(struct.unpack("<%dQ" % (len(data) // 8), data))
        self.records = []       # (word, words, kind)
        at = 0
        while at < len(self.words):
            n = self.words[at] >> 4 & 0xfff
            self.records.append((at, n, self.words[at] & 15))
            at += n

    def of_kind(self, kind):
        return [(at, n) for at, n, k in self.records if k == kind]

    def events(self, *kinds):
        return [at for at, _ in self.of_kind(EVENT) if self.words[at] >> 16 & 15 in kinds]

    def with_word(self, at, word):
        words = list(self.words)
        words[at] = word
        return struct.pack("<%dQ" % len(words), *words)

    def with_bits(self, at, low, n, value):
        """As with_word, n bits of it."""
        mask = ((1 << n) - 1) << low
        return self.with_word(at, self.words[at] & ~mask | value << low)

    def without(self, at):
        n = self.words[at] >> 4 & 0xfff
        return self.data[:8 * at] + self.data[8 * (at + n):]

    def inline_free(self, at):
        """Whether a name of an event is a string's number."""
        return not self.words[at] >> 63


# Each yields files that are broken in one way, with the place.

def sizes(t):
    for at, _, _ in t.records:
        for bit in range(4, 16):
            yield at, t.with_word(at, t.words[at] ^ 1 << bit)


def argument_sizes(t):
    for at, _ in t.of_kind(EVENT):
        if t.words[at] >> 20 & 15 and t.inline_free(at):
            for bit in range(4, 16):
                yield at + 2, t.with_word(at + 2, t.words[at + 2] ^ 1 << bit)


def dropped_ends(t):
    return ((at, t.without(at)) for at in t.events(END))


def dropped_begins(t):
    return ((at, t.without(at)) for at in t.events(BEGIN))


def doubled_ends(t):
    for at in t.events(END):
        n = t.words[at] >> 4 & 0xfff
        yield at, t.data[:8 * (at + n)] + t.data[8 * at:]


def unset_strings(t):
    """Each reference to a name, to one that is never defined."""
    unused = 1 + max(t.words[at] >> 16 & 0x7fff for at, _ in t.of_kind(STRING))
    for at, _ in t.of_kind(EVENT):
        yield at, t.with_bits(at, 48, 16, unused)
        yield at, t.with_bits(at, 32, 16, unused)
        if t.words[at] >> 20 & 15 and t.inline_free(at):
            yield at + 2, t.with_bits(at + 2, 16, 16, unused)
    for at, _ in t.of_kind(OBJECT):
        yield at, t.with_bits(at, 24, 16, unused)


def unset_threads(t):
    unused = 1 + max(t.words[at] >> 16 & 0xff for at, _ in t.of_kind(THREAD))
    return ((at, t.with_bits(at, 24, 8, unused)) for at, _ in t.of_kind(EVENT))


def dropped_threads(t):
    return ((at, t.without(at)) for at, _ in t.of_kind(THREAD))


def dropped_strings(t):
    """Those that an event is called by."""
    used = {t.words[at] >> 48 for at, _ in t.of_kind(EVENT)}
    return ((at, t.without(at)) for at, _ in t.of_kind(STRING)
            if t.words[at] >> 16 & 0x7fff in used)


def swapped_times(t):
    """A begin and the end that closes it."""
    stacks = {}
    for at in t.events(BEGIN, END):
        stack = stacks.setdefault(t.words[at] >> 24 & 0xff, [])
        if t.words[at] >> 16 & 15 == BEGIN:
            stack.append(at)
        elif stack:
            begin = stack.pop()
            if t.words[begin + 1] != t.words[at + 1]:
                words = list(t.words)
                words[begin + 1], words[at + 1] = words[at + 1], words[begin + 1]
                yield at, struct.pack("<%dQ" % len(words), *words)


def negative_times(t):
    return ((at + 1, t.with_word(at + 1, t.words[at + 1] | 1 << 63)) for at, _ in t.of_kind(EVENT))


def backward_spans(t):
    for at in t.events(COMPLETE):
        if t.words[at + 1]:
            last = at + (t.words[at] >> 4 & 0xfff) - 1
            yield last, t.with_word(last, t.words[at + 1] - 1)


def other_names(t):
    """An end is called as another function."""
    names = {t.words[at] >> 48 for at in t.events(BEGIN)}
    for at in t.events(END):
        for name in names - {t.words[at] >> 48}:
            yield at, t.with_bits(at, 48, 16, name)


def texts(t):
    """A control character, a byte that is no UTF-8, and one in what fills up the last word."""
    for at, _ in t.of_kind(STRING):
        n = t.words[at] >> 32 & 0x7fff
        for byte in (b"\n", b"\x1b", b"\x7f", b"\xff", b"\0"):
            yield at, t.data[:8 * at + 8] + byte + t.data[8 * at + 9:]
        if n % 8:
            yield at, t.data[:8 * at + 8 + n] + b"x" + t.data[8 * at + 9 + n:]


def text_lengths(t):
    for at, _ in t.of_kind(STRING):
        n = t.words[at] >> 32 & 0x7fff
        yield at, t.with_bits(at, 32, 15, n + 8)
        yield at, t.with_bits(at, 32, 15, n - 8 if n > 8 else n + 64)


def cut(t):
    """Within a word, within a record, or while a span is open."""
    open_spans = 0
    for at, n, kind in t.records:
        if kind == EVENT:
            open_spans += {BEGIN: 1, END: -1}.get(t.words[at] >> 16 & 15, 0)
        yield at, t.data[:8 * at + 1]
        if n > 1:
            yield at, t.data[:8 * (at + n) - 8]
        if open_spans:
            yield at, t.data[:8 * (at + n)]


def same(packed, data):
    """The same bytes may be said in another way."""
    try:
        return gzip.decompress(packed) == data
    except (EOFError, OSError, zlib.error):
        return False


def gzip_broken(t):
    packed = gzip.compress(t.data, mtime=0)
    for n in range(2, len(packed), 7):
        yield n, packed[:n]
    for n in range(1, 9):       # checksum and size
        yield len(packed) - n, packed[:-n]
        for bit in range(8):
            broken = bytearray(packed)
            broken[-n] ^= 1 << bit
            yield len(packed) - n, bytes(broken)
    for n in range(10, len(packed) - 8, 5):
        broken = bytearray(packed)
        broken[n] ^= 0x10
        if not same(broken, t.data):
            yield n, bytes(broken)
    yield len(packed), packed + b"more"


WAYS = [sizes, argument_sizes, dropped_ends, dropped_begins, doubled_ends, unset_strings,
        unset_threads, dropped_threads, dropped_strings, swapped_times, negative_times,
        backward_spans, other_names, texts, text_lengths, cut, gzip_broken]


def main():
    report = harness.Report("e2e/broken-traces")
    sound = [Trace(name, data) for name, data in traces(harness.build_dir())]
    report.check("sound", ["%s: %s" % (t.name, fault) for t in sound
                           for data in (t.data, gzip.compress(t.data))
                           for fault in fxtcheck.faults_of(data)])
    for way in WAYS:
        tried, missed = 0, []
        for t in sound:
            broken = list(way(t))
            step = 1 if harness.LONG else 1 + len(broken) // MOST
            for at, data in broken[::step]:
                tried += 1
                if not fxtcheck.faults_of(data):
                    missed.append("%s: not seen at %d" % (t.name, at))
        if not tried:
            missed.append("nothing was broken")
        report.check("%s (%d)" % (way.__name__, tried), missed)
    report.exit()


if __name__ == "__main__":
    main()
