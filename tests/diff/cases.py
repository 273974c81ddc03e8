# SPDX-License-Identifier: MIT
"""Cases for tests/diff/driver.c: what goes in, how the driver is run, what comes out.

A span is a tuple (kind, time, track, name, detail):
  B  a begin         detail (address, inferred)
  E  an end          detail None
  X  a leaf          detail its end's time
  C  the CPU's MHz   detail the MHz, name "CPU"
  S  extra event     detail (address, count, the thread's track), name that of the place
  P  ptwrite         detail the payload
  H  a hit           detail (time of the hit, passed, argument or None, ip, tid)
Tracks are PID/TID (0: not known), extra/EVENT/PID, hits. Times are ns since the base.
"""
import os
import re
import subprocess


class Case:
    """One run of the reader and the stacks: texts and settings."""

    def __init__(self, texts, scope="u", **settings):
        self.texts = texts          # one str a data file; surrogateescape for odd bytes
        self.scope = scope
        self.filter = None          # (START, STOP)
        self.traps = None           # {"push": [...], "pop": [...], "enter": [...]}
        self.hits = []              # (time, passed, arg, ip, tid, symbol)
        self.sampling = False
        self.skip_tx = False
        self.reference = False      # -stacks reference -time-spread reference
        self.inlined = False        # with the driver's made-up inlined functions
        self.max_depth = 0
        self.chunk = 0
        self.budget = 0
        self.label = ""             # what a failure is called
        for key, value in settings.items():
            if not hasattr(self, key):
                raise AttributeError(key)
            setattr(self, key, value)

    def commands(self):
        """The case in the driver's words, as bytes."""
        out = ["scope " + self.scope]
        if self.sampling:
            out.append("sampling")
        if self.skip_tx:
            out.append("skip-tx")
        if self.reference:
            out.append("reference")
        if self.inlined:
            out.append("inlined")
        for word, value in (("max-depth", self.max_depth), ("chunk", self.chunk),
                            ("budget", self.budget)):
            if value:
                out.append("%s %d" % (word, value))
        if self.filter:
            out.append("filter %s %s" % tuple(escape(s) for s in self.filter))
        for word, addresses in (self.traps or {}).items():
            out += ["%s %x" % (word, a) for a in sorted(set(addresses))]
        for time, passed, arg, ip, tid, symbol in self.hits:
            out.append("hit %d %d %x %x %d %s" % (time, passed, arg, ip, tid, escape(symbol)))
        data = "".join(line + "\n" for line in out).encode()
        for text in self.texts:
            raw = text.encode("utf-8", "surrogateescape")
            data += b"text %d\n" % len(raw) + raw
        return data + b"run\n"


def escape(name):
    raw = name.encode("utf-8", "surrogateescape")
    return "".join(chr(c) if 0x20 < c < 0x7f and c != 0x25 else "%%%02X" % c for c in raw) or "%"


def unescape(word):
    if "%" not in word:
        return word
    raw = re.sub(rb"%([0-9A-F]{2})?", lambda m: bytes.fromhex((m.group(1) or b"").decode()),
                 word.encode())
    return raw.decode("utf-8", "surrogateescape")


def span_name(word):
    """A name as it is shown: the driver puts @ before one made up for a place without a symbol."""
    name = unescape(word)
    return name[1:] if word.startswith("@") else name


def parse_span(line):
    w = line.split(" ")
    kind, time, track = w[0], int(w[1]), unescape(w[2])
    if kind == "B":
        return kind, time, track, span_name(w[3]), (int(w[4], 16), bool(int(w[7]) & 1))
    if kind == "E":
        return kind, time, track, span_name(w[3]), None
    if kind == "X":
        return kind, time, track, span_name(w[3]), int(w[4])
    if kind == "C":
        return kind, time, track, "CPU", int(w[3])
    if kind == "S":
        return kind, time, track, span_name(w[3]), (int(w[4], 16), int(w[5]), w[6])
    if kind == "P":
        return kind, time, track, "ptwrite", int(w[3], 16)
    if kind == "H":
        arg = None if w[6] == "-" else int(w[6], 16)
        return kind, time, track, unescape(w[3]), (int(w[4]), int(w[5]), arg, int(w[7], 16),
                                                   int(w[8]))
    raise ValueError("the driver printed: " + line)


class Result:
    """What the driver printed for one case."""

    def __init__(self, lines):
        self.lines = lines[:-1]
        self.stats = {k: int(v) for k, v in (w.split("=") for w in lines[-1].split(" ")[1:])}
        self.spans = [parse_span(line) for line in self.lines]


class DriverDied(Exception):
    """The driver ended badly; case is the first one without a result."""

    def __init__(self, case, why):
        super().__init__(why)
        self.case = case
        self.why = why


def driver_path(build):
    return os.path.join(build, "tests", "diff", "driver")


def run_raw(build, cases, timeout=600):
    """The driver's output for the cases, undigested."""
    data = b"".join(c.commands() for c in cases)
    p = subprocess.run([driver_path(build)], input=data, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=timeout, check=False)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def run_cases(build, cases):
    """A Result for each case, in order. DriverDied names the case that it died on."""
    rc, out, err = run_raw(build, cases)
    results, lines = [], []
    for line in out.decode("ascii").split("\n"):
        if line != "end":
            lines.append(line)
            continue
        results.append(Result(lines))
        lines = []
    if rc or len(results) != len(cases):
        dead = cases[len(results)] if len(results) < len(cases) else None
        raise DriverDied(dead, "the driver ended with status %d: %s" % (rc, err.strip()[-2000:]))
    return results
