# SPDX-License-Identifier: MIT
"""Lines of perf script, for texts that are too long to keep in a file."""

NOWHERE = "0 [unknown] ([unknown])"


def branch(time, word, src, dst, pid=1, tid=1):
    """time in ns; src, dst: "ADDR NAME+0xOFF (DSO)"."""
    return "%d/%d %d.%09d: 1 branches:uH:   %-15s %s => %s\n" % (pid, tid, time // 10**9,
                                                                 time % 10**9, word, src, dst)


def at(name, addr=0x1000, off=0):
    return "%x %s+0x%x (/tmp/a.out)" % (addr + off, name, off)


def start(time, name, **thread):
    return branch(time, "tr strt", NOWHERE, at(name), **thread)


def stop(time, name, **thread):
    return branch(time, "tr end", at(name), NOWHERE, **thread)


def good(calls=3):
    """A small text with that many calls of f from main."""
    out = [start(10**9, "main")]
    for i in range(calls):
        out.append(branch(10**9 + 20 * i + 10, "call", at("main", off=16), at("f", 0x2000)))
        out.append(branch(10**9 + 20 * i + 20, "return", at("f", 0x2000, 16), at("main", off=20)))
    return "".join(out)
