# SPDX-License-Identifier: MIT
"""Random texts of perf script, made to the rules of perf's output: one seed, one case."""
import random

from cases import Case

USER = [(0x1000, "main"), (0x2000, "b"), (0x3000, "c"), (0x4000, "d e"), (0x5000, "f => g"),
        (0x1000000, "b"), (0x8000, "start_here"), (0x8100, "stop_here")]
GO = [(0x6000, "gogo"), (0x6100, "runtime.mcall"), (0x6200, "runtime.morestack.abi0"),
      (0x6300, "runtime.park_m")]
OCAML = [(0x7000, "caml_next_frame_descriptor"), (0x7100, "caml_stash_backtrace"),
         (0x7200, "caml_raise_exn"), (0x7300, "caml_raise_exception"), (0x7400, "camlFoo__bar_12")]
KERNEL = [(0xffffffff81000000, "ksys"), (0xffffffff81001000, "kint"), (0xffffffff81002000, "kx")]
GUEST = [(0x9000, "guest_main"), (0xffffffff91000000, "guest_kernel")]
NOWHERE = "0 [unknown] ([unknown])"
DSOS = ["foo.so", "[unknown]", "a b.so", "/usr/lib/libx.so (deleted)", "[vdso]"]
KINDS = ["", "call", "return", "jcc", "jmp", "int", "iret", "syscall", "sysret", "async", "hw int",
         "tx abrt", "vmentry", "vmexit"]
EVENTS = ["branches:uH", "branches:u", "branches:ku", "branches:k", "branches"]

# How often each branch occurs: (state, kind): weight in user scope, weight in kernel scopes.
ORDINARY = {
    ("", "call"): (10, 10), ("", "return"): (9, 9), ("", "jcc"): (3, 3), ("", "jmp"): (5, 5),
    ("", "int"): (1, 1), ("", "tx abrt"): (.5, .5), ("", ""): (.2, .2),
    ("", "syscall"): (.1, 1.5), ("", "sysret"): (.1, 1.5), ("", "hw int"): (.1, 1.5),
    ("", "iret"): (.1, 1.5), ("", "async"): (.3, .6),
    ("tr strt", ""): (3, 3), ("tr strt", "jmp"): (.5, .5),
    ("tr end", ""): (2, 2), ("tr end", "async"): (1, 1), ("tr end", "call"): (.7, .7),
    ("tr end", "return"): (.7, .7), ("tr end", "syscall"): (1.5, 1.5),
    ("tr end", "iret"): (.05, .7), ("tr end", "sysret"): (.05, .7), ("tr strt", "tr end"): (.4, .4),
}
RARE = .12                      # weight of the states and kinds that are not in the table


class Stream:
    """Lines of one data file after another, with one clock and one set of threads."""

    def __init__(self, rng):
        self.r = rng
        self.scope = rng.choice(["u", "u", "k", "uk", "uk"])
        self.profile = rng.choice(["plain", "plain", "go", "ocaml", "traps", "tx", "errors",
                                   "samples", "guest", "mix", "mix", "mix", "steady", "calls"])
        self.time = rng.choice([0, 5, 100, 10**9]) + 100 * 10**9
        self.back = rng.random() < .08
        self.symbols = self.choose_symbols()
        self.threads = self.choose_threads()
        self.current = rng.choice(self.threads)
        self.branches, self.weights = self.choose_branches()
        self.traps = None
        if self.profile == "traps":
            addresses = [0x1000, 0x1004, 0x1008, 0x2000, 0x2008, 0x3000, 0x3010, 0x4000]
            rng.shuffle(addresses)      # no place both installs and removes a handler
            self.traps = {"push": addresses[:rng.randint(1, 4)], "pop": addresses[4:],
                          "enter": rng.sample(addresses, rng.randint(1, 4))}

    def among(self, *profiles):
        return self.profile in profiles

    def choose_symbols(self):
        symbols = list(USER)
        if self.among("go", "mix"):
            symbols += GO + [GO[0]] * (3 if self.among("go") else 0)
        if self.among("ocaml", "mix"):
            symbols += OCAML * (2 if self.among("ocaml") else 1)
        if self.among("guest"):
            symbols += GUEST * 2
        if self.scope != "u" or self.r.random() < .2:
            symbols += KERNEL
        return symbols

    def choose_threads(self):
        threads = [(1, 1)]
        for chance, thread in ((.5, (1, 2)), (.4, (3, 3)), (.08, (0, 0)), (.08, (-1, -1)),
                               (.05, (7, 0)), (.05, (7, -1))):
            if self.r.random() < chance:
                threads.append(thread)
        return threads

    def choose_branches(self):
        weights = dict.fromkeys(((state, kind) for state in ("", "tr strt", "tr end")
                                 for kind in KINDS), RARE)
        column = 0 if self.scope == "u" else 1
        weights.update((key, w[column]) for key, w in ORDINARY.items())
        if self.among("tx"):
            weights["", "tx abrt"] = 3
        if self.among("guest"):
            weights["", "vmentry"] = weights["", "vmexit"] = 3
        if self.among("calls"):
            weights["", "call"] = weights["", "return"] = 40
        return list(weights), list(weights.values())

    def tick(self):
        r, x = self.r, self.r.random()
        if self.among("steady"):
            self.time += r.randint(1, 50)
        elif x < .5:
            pass
        elif x < .75:
            self.time += r.randint(1, 3)
        elif x < .97:
            self.time += r.randint(4, 200)
        else:
            self.time += r.randint(1000, 10**6)
        if self.back and r.random() < .1:
            self.time -= r.randint(1, 100)

    def clock(self):
        return "%d.%09d" % divmod(self.time, 10**9)

    def place(self, unnamed=.06):
        r = self.r
        if r.random() < unnamed:
            addr = r.choice([0, 0x9990, 0x9994, 0x7fff0000, 0xffffffffaa000010])
            return "%x [unknown] (%s)" % (addr, r.choice(DSOS))
        addr, name = r.choice(self.symbols)
        off = r.choice([0, 0, 0, 4, 8, 0x10, 0x20])
        if r.random() < .02:
            return "%x %s+0xffffffffff22f000 (foo.so)" % (addr, name)
        return "%x %s+0x%x (foo.so)" % (addr + off, name, off)

    def header(self, event, period=1):
        pid, tid = self.current
        return "%d/%d %s: %6d  %s:" % (pid, tid, self.clock(), period, event)

    def error(self):
        r = self.r
        pid, tid = self.current if r.random() < .93 else r.choice([(0, 0), (-1, -1)])
        return " instruction trace error type 1%s%s cpu %d pid %d tid %d ip %s code %s" % (
            "" if r.random() < .3 else " time " + self.clock(),
            r.choice(["", "", " machine_pid 5 vcpu 0"]), r.choice([-1, 1]), pid, tid,
            r.choice(["0", "0x2004", "0xffffffff81000004"]),
            r.choice(["7: Overflow packet", "8: Lost trace data"]))

    def sample(self):
        r = self.r
        top = ["\t%16s" % self.place(.05) for _ in range(r.randint(0, 6))]
        base = r.choice([[], ["\t 2004 b+0x4 (foo.so)", "\t 1008 main+0x8 (foo.so)"],
                         ["\t 200%d b+0x%d (foo.so)" % ((r.choice([0, 4, 8]),) * 2),
                          "\t 1008 main+0x8 (foo.so)"]])
        event = r.choice(["cycles:u", "cpu-clock:u", "task-clock:u", "cpu_core/cycles/u"])
        return "\n".join([self.header(event, 100000) + " "] + top + base) + "\n"

    def extra(self):
        event = self.r.choice(["branch-misses", "cache-misses"]) + "/period=50/u"
        head = self.header(event, self.r.choice([1, 50, 123456]))
        if self.r.random() < .3:
            return "%s \n\t %s\n\t 1008 main+0x8 (foo.so)\n" % (head, self.place())
        return "%s    0   %s" % (head, self.place())

    def branch(self):
        r = self.r
        state, kind = r.choices(self.branches, self.weights)[0]
        word = ("%-7s %s" % (state, kind) if state else kind).strip()
        if state == "tr strt" and kind == "tr end":
            word = "tr strt tr end"
        tx = ""
        if self.among("tx", "mix") and r.random() < (.4 if self.among("tx") else .05):
            tx = "(x)"
        elif r.random() < .05:
            tx = r.choice(["(D)", "(t)", "(Dt)"])
        src = NOWHERE if state == "tr strt" else self.place()
        dst = NOWHERE if state == "tr end" and r.random() < .9 else self.place()
        return "%s  %-15s%6s  %s => %s" % (self.header(r.choice(EVENTS)), word, tx, src, dst)

    def line(self):
        """One record."""
        r = self.r
        errors = {"errors": .2, "mix": .06, "tx": .05}.get(self.profile, .02)
        x = r.random()
        if x < errors:
            return self.error()
        x = r.random()
        if x < .02:
            return "%s   %s  cbr: 42 freq: %4d MHz (100%%)   0   2004 b+0x4 (foo.so)" % (
                self.header("cbr"), r.choice(["", "call", "tr end"]), r.randint(400, 5000))
        if x < .03:
            return self.header("psb") + "      psb offs: 0x4be8   0   2004 b+0x4 (foo.so)"
        if x < .05:
            return self.extra()
        if x < .06:
            return "%s  IP: 0 payload: 0x%x%s   2004 b+0x4 (foo.so)" % (
                self.header("ptwrite"), r.getrandbits(64), r.choice(["", " Hello"]))
        if self.among("samples") and x < .7 or self.among("mix") and x < .07:
            return self.sample()
        return self.branch()

    def text(self, lines):
        out = []
        for _ in range(lines):
            self.tick()
            if self.r.random() < .25:
                self.current = self.r.choice(self.threads)
            out.append(self.line())
        return "".join(line + "\n" for line in out)


def case(seed):
    """A case of the kinds that the model knows, with our additions."""
    r = random.Random(seed)
    s = Stream(r)
    texts = [s.text(r.choice([4, 8, 15, 30, 60]))]
    while len(texts) < 4 and r.random() < .25:
        s.time += r.choice([0, 1, 10, 10**6])
        texts.append(s.text(r.choice([0, 1, 4, 15, 30])))
    c = Case(texts, s.scope, traps=s.traps, reference=True, label="seed %d, %s" % (seed, s.profile))
    if r.random() < .25:
        c.filter = r.choice([("start_here", "stop_here"), ("b", "c"), ("main", "b"), ("c", "kint"),
                             ("d e", "f => g")])
    if r.random() < .08:
        c.hits = [hit(r, s.time) for _ in range(r.randint(1, 3))]
    c.skip_tx = r.random() < .03
    c.chunk = r.choice([0, 0, 0, 1, 7, 100])
    c.budget = r.choice([0, 0, 0, 1])
    return c


def hit(r, end):
    time = end - r.randint(0, 2000)
    passed = r.choice([0, time, time - r.randint(1, 3000), time + 5])
    return (time, passed, r.getrandbits(64), 0x2004, r.randint(1, 3),
            r.choice(["magic_trace_stop_indicator", "b"]))


# Hostile streams: nothing that perf would print in this order, everything that it could print.

ODD_NAMES = ["main", "b", "gogo", "runtime.mcall", "caml_raise_exn", "caml_stash_backtrace",
             "caml_raise_exception", "", "f => 10 g+0x1 (x)", "[unknown", "a\x01b", "\udcff\udcfe",
             "start_here", "stop_here", "x" * 200, "+0x+0x", "(", "é"]
NOISE = ["", "\t", "\t 10 f+0x1 (x)", "Warning:", "1/1 5.0:", "1/1 5.000000001: 1 branches:u: call",
         " instruction trace error type 1 time", "\x00\x01", "1/1 99999999999999999999.9: cbr:",
         "9" * 40 + "/1 1.000000000: 1 branches:u:   call  10 f+0x0 (x) => 20 g+0x0 (x)"]


class Hostile(Stream):
    """As a Stream, without any sense in it."""

    def __init__(self, rng):
        super().__init__(rng)
        self.names = rng.sample(ODD_NAMES, rng.randint(2, len(ODD_NAMES)))
        self.threads = [(rng.choice([1, 1, 2, 0, -1, 7, 2**31 - 1]), rng.randint(-1, 4))
                        for _ in range(rng.randint(1, 8))]
        self.current = self.threads[0]
        self.weights = [rng.choice([0, .3, 1, 1, 6]) + .01 for _ in self.branches]
        self.step = rng.choice([0, 1, 3, 100, 10**6])
        self.jump = rng.choice([0, .05, .3])
        self.tx = rng.choice([0, 0, .3, .7])
        self.near = rng.random() < .5   # places are in the functions that they say

    def tick(self):
        self.time += self.r.choice([0, 0, self.r.randint(0, self.step)])
        if self.r.random() < self.jump:
            self.time = max(0, self.time + self.r.choice([-1, 1]) * self.r.randint(0, 10**4))

    def place(self, unnamed=.1):
        r = self.r
        if self.near and r.random() < .95:
            return super().place(unnamed)
        addr = r.choice([0, 0x1000, 0x1008, 0x2000, 0x7fffffffffff, 1 << 63, (1 << 64) - 1,
                         0xffffffff81000000, r.getrandbits(64)])
        dso = r.choice([" (x)", " ([unknown])", " (a (b) c)", " ()", ""])
        if r.random() < unnamed:
            return "%x [unknown]%s" % (addr, dso)
        off = r.choice([0, 0, 8, addr & 0xfff, 1 << 62, (1 << 64) - 1])
        return "%x %s+0x%x%s" % (addr, r.choice(self.names), off, dso)

    def sample(self):
        frames = ["\t%16s" % self.place() for _ in range(self.r.choice([0, 1, 3, 8, 40]))]
        return "\n".join([self.header("cycles:u", 1) + " "] + frames) + "\n"

    def branch(self):
        state, kind = self.r.choices(self.branches, self.weights)[0]
        tx = "(x)" if self.r.random() < self.tx else ""
        return "%s  %-7s %-7s %s  %s => %s" % (self.header("branches:u"), state, kind, tx,
                                               self.place(), self.place())

    def line(self):
        if self.r.random() < .02:
            return self.r.choice(NOISE)
        return super().line()


def hostile(seed):
    """A case of which only the form of the result is known."""
    r = random.Random(seed)
    s = Hostile(r)
    texts = [s.text(r.choice([1, 5, 20, 50, 100])) for _ in range(r.choice([1, 1, 1, 2, 4]))]
    c = Case(texts, s.scope, traps=s.traps, label="hostile seed %d, %s" % (seed, s.profile))
    c.sampling = r.random() < .2
    c.reference = seed % 3 == 0
    c.inlined = seed % 2 == 0
    c.max_depth = r.choice([0, 0, 1, 2, 3, 10])
    c.skip_tx = r.random() < .1
    if r.random() < .3:
        c.filter = tuple(r.choices([n for n in s.names if n] or ["b"], k=2))
    if r.random() < .1:
        c.hits = [hit(r, s.time) for _ in range(3)]
    return c
