#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large and odd traces: valid files, nothing lost without being said, the same bytes each time."""
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402
import lines                    # noqa: E402
from lines import at, branch    # noqa: E402

MAX_NAME = 32000                # bytes of a string in a trace


def number(text, words):
    """The number before some words of the summary, 0 when they are not there."""
    m = re.search(r"([\d,]+) " + words, text)
    return int(m.group(1).replace(",", "")) if m else 0


def twice(build, work, text, *args):
    """The trace of a text, its events, the faults that any trace can have."""
    with open(os.path.join(work, "perf.data"), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    one = harness.decode(build, work, *args, output="one.fxt")
    two = harness.decode(build, work, *args, output="two.fxt")
    faults = []
    if one.status != 0 or two.status != 0:
        return one, [], ["exit status %s, %s: %s" % (one.status, two.status, one.stderr[-2000:])]
    with open(one.path, "rb") as a, open(two.path, "rb") as b:
        if a.read() != b.read():
            faults.append("other bytes the second time")
    faults += harness.check_trace(one.path)
    return one, fxt.read(one.path), faults


def names_of(events):
    return [e.name for e in sorted(events, key=lambda e: e.time) if e.ph == "B"]


def many_symbols(build, work):
    """More distinct names than a trace has string indexes."""
    count, time, out = 100000 if harness.LONG else 40000, 10**9, [lines.start(10**9, "main")]
    for i in range(count):
        time += 10
        name, addr = "function_%d" % i, 0x10000 + 64 * i
        out.append(branch(time, "call", at("main", off=16), at(name, addr)))
        out.append(branch(time + 5, "return", at(name, addr, 8), at("main", off=20)))
    _, events, faults = twice(build, work, "".join(out))
    want = ["main"] + ["function_%d" % i for i in range(count)]
    if not faults and sorted(names_of(events)) != sorted(want):
        faults.append("%d names, expected %d" % (len(set(names_of(events))), count + 1))
    faults += ["symbol of %s is %s" % (e.name, e.args["symbol"]) for e in events
               if e.ph == "B" and e.args["symbol"] != e.name][:3]
    return faults


def many_threads(build, work):
    """More threads than a trace has thread indexes, in turns."""
    count, out = 1000, []
    for step in range(3):
        for t in range(count):
            time = 10**9 + 10**6 * step + 10 * t
            thread = {"pid": 5000 + t // 100, "tid": 6000 + t}
            if step == 0:
                out.append(lines.start(time, "main", **thread))
            elif step == 1:
                out.append(branch(time, "call", at("main", off=16), at("f", 0x2000), **thread))
            else:
                out.append(branch(time, "return", at("f", 0x2000, 16), at("main", off=20),
                                  **thread))
    ended, events, faults = twice(build, work, "".join(out))
    tracks = {}
    for s in fxt.spans(events):
        tracks.setdefault(s.track, []).append((s.depth, s.name, s.length))
    want = {"%d/%d" % (5000 + t // 100, 6000 + t) for t in range(count)}
    if not faults and set(tracks) != want:
        faults.append("%d tracks, expected %d" % (len(tracks), count))
    # Each main begins 1 ns after its thread's first time, but for the very first thread's.
    faults += ["%s: %s" % (name, t) for name, t in tracks.items()
               if [x[:2] for x in t] != [(0, "main"), (1, "f")] or t[1][2] != 10**6][:3]
    if number(ended.stderr, "threads") != count:
        faults.append("the summary does not say %d threads: %s" % (count, ended.stderr))
    return faults


def deep_text(depth):
    time, out = 10**9, [lines.start(10**9, "main")]
    deep = lambda off: at("deep", 0x2000, off)      # noqa: E731
    for i in range(depth):
        time += 10
        out.append(branch(time, "call", deep(16) if i else at("main", off=16), deep(0)))
    for i in range(depth):
        time += 10
        out.append(branch(time, "return", deep(32),
                          deep(20) if i < depth - 1 else at("main", off=20)))
    return "".join(out)


def deep_recursion(build, work):
    """More frames than viewers show: capped, counted, and the deepest one says so."""
    depth = 2000
    ended, events, faults = twice(build, work, deep_text(depth))
    shown, hidden = len(names_of(events)), number(ended.stderr, "frames hidden")
    if shown > 500 or shown + hidden != depth + 1:
        faults.append("%d frames shown, %d said to be hidden, of %d" % (shown, hidden, depth + 1))
    below = [e.args["frames_below"] for e in events if "frames_below" in e.args]
    if below != [hidden]:
        faults.append("frames_below: %s, expected %s" % (below, [hidden]))
    return faults


def deep_without_cap(build, work):
    """All frames, for readers that have no limit."""
    with open(os.path.join(work, "perf.data"), "w", encoding="utf-8") as f:
        f.write(deep_text(2000))
    ended = harness.decode(build, work, "-max-depth", "none")
    if ended.status != 0:
        return ["exit status %s: %s" % (ended.status, ended.stderr)]
    spans = fxt.spans(fxt.read(ended.path, deepest=None))
    # The k-th call is at 10 k, its return as long before the end.
    want = [("main", 0, 0, 40000)] + [("deep", k, 10 * k, 40000 - 20 * k + 10)
                                      for k in range(1, 2001)]
    got = [(s.name, s.depth, s.start, s.length) for s in spans]
    return ["%s, expected %s" % (g, w) for g, w in zip(got, want) if g != w][:3] + \
           ([] if len(got) == len(want) else ["%d spans" % len(got)])


def long_symbol(build, work):
    """A name that is longer than the format takes is cut, visibly, between two characters."""
    name = "é" * 20000            # 40,000 bytes
    text = lines.start(10**9, "main") + branch(10**9 + 10, "call", at("main", off=16),
                                               at(name, 0x2000)) + lines.stop(10**9 + 20, name)
    ended, events, faults = twice(build, work, text)
    shown = [n for n in names_of(events) if n.startswith("é")]
    if len(shown) != 1 or not shown[0].endswith("…") or shown[0].strip("é") != "…":
        faults.append("names: %s" % [n[:20] + n[-20:] for n in names_of(events)])
    elif not MAX_NAME - 8 < len(shown[0].encode()) <= MAX_NAME:
        faults.append("a name of %d bytes" % len(shown[0].encode()))
    if "1 name cut" not in ended.stderr:
        faults.append("the summary does not say so: " + ended.stderr)
    return faults


def odd_bytes(build, work):
    """Control characters are shown as \\xNN, what is not UTF-8 is replaced."""
    raw = [b"a\x01b", b"tab\there", b"\x7f", b"bad\xff", b"half\xc3", b"\xed\xa0\x80surrogate",
           b"over\xc0\xaf", "fine é ☃ 𝄞".encode(), b"\\", b'quote"']
    escaped = [re.sub(rb"[\x00-\x1f\x7f]", lambda m: b"\\x%02x" % m[0][0], n) for n in raw]
    text = lines.start(10**9, "main").encode()
    for i, name in enumerate(raw):
        side = b"%x %s+0x0 (/tmp/a.out)" % (0x2000 + 64 * i, name)
        text += branch(10**9 + 10 * i + 10, "call", at("main", off=16), "@").encode().replace(
            b"@", side)
        text += branch(10**9 + 10 * i + 15, "return", "@", at("main", off=20)).encode().replace(
            b"@", side)
    ended, events, faults = twice(build, work, text)
    data = harness.fxtdump.load(ended.path) if not faults else b""
    for name, want in zip(raw, escaped):
        try:
            name.decode()
            if want not in data:
                faults.append("%r is not there as %r" % (name, want))
        except UnicodeDecodeError:
            if name in data:
                faults.append("%r is written raw" % name)
    shown = names_of(events)
    # How many U+FFFD stand for a bad sequence is a matter of taste, that some do is not.
    faults += ["%r is shown as %s" % (n, s) for n, s in zip(escaped, shown[1:])
               if s.replace("\ufffd", "") != n.decode("utf-8", "ignore")]
    if len(shown) != len(raw) + 1:
        faults.append("%d names" % len(shown))
    return faults


def no_temporary_file(build, work):
    """What has to wait (here a region that ends late) is kept in memory when TMPDIR is no use: said,
    and nothing is lost. With a TMPDIR the same bytes come out."""
    count, time, out = 200000, 10**9, [lines.start(10**9, "main")]
    out.append(branch(time + 1, "call", at("main", off=16), at("begin", 0x3000)))
    for i in range(count):
        time += 10
        out.append(branch(time, "call", at("begin", 0x3000, 16), at("f", 0x2000)))
        out.append(branch(time + 5, "return", at("f", 0x2000, 8), at("begin", 0x3000, 20)))
    out.append(branch(time + 9, "call", at("begin", 0x3000, 16), at("end", 0x4000)))
    with open(os.path.join(work, "perf.data"), "w", encoding="utf-8") as f:
        f.write("".join(out))
    args = ("-filter", "begin:end")
    one = harness.decode(build, work, *args, output="one.fxt")
    two = harness.decode(build, work, *args, output="two.fxt", env={"TMPDIR": "/nonexistent"})
    faults = harness.check_trace(one.path)
    if (one.status, two.status) != (0, 0):
        faults.append("exit status %s, %s: %s" % (one.status, two.status, two.stderr))
    if "kept in memory" not in two.stderr or "TMPDIR" not in two.stderr:
        faults.append("not said: " + two.stderr)
    if "kept in memory" in one.stderr:
        faults.append("said with a TMPDIR: " + one.stderr)
    with open(one.path, "rb") as a, open(two.path, "rb") as b:
        if a.read() != b.read():
            faults.append("other bytes")
    if number(one.stderr, "calls") != count + 2:    # main, begin, f ...; end lies outside
        faults.append(one.stderr)
    return faults


def main():
    report = harness.Report("e2e/big-input")
    build = harness.build_dir()
    for test in (many_symbols, many_threads, deep_recursion, deep_without_cap, long_symbol,
                 odd_bytes, no_temporary_file):
        with tempfile.TemporaryDirectory() as work:
            report.check(test.__name__.replace("_", " "), test(build, work))
    report.exit()


if __name__ == "__main__":
    main()
