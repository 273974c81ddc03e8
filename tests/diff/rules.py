# SPDX-License-Identifier: MIT
"""The slow model in ../shared/tools/model, with our rules in place of the OCaml magic-trace's.

Our result differs from the OCaml program's where it is better. Each method here that replaces one
of the model's says which rule of ours it stands for. The model's file is not touched.
"""
import copy
import os

import harness

MODEL = os.path.join(harness.SHARED, "tools", "model", "model.py")
GENERATOR = os.path.join(harness.SHARED, "tools", "model", "gen.py")

if os.path.exists(MODEL):
    model = harness.load_module("model", MODEL)
else:
    class model:                # the tests that need it are skipped
        class Writer:
            pass

GARBAGE = 1 << 62               # perf's offsets from here on are a bug of perf's
GO_SWITCH = ("runtime.mcall", "runtime.morestack.abi0")


def side(text):
    """One side of a branch. Ours: kernel addresses unsigned; without a DSO the plain word."""
    text = text.strip(" ")
    m = model.UNK.match(text)
    if m:
        addr = int(m.group(1), 16)
        name = "[unknown @ 0x%x (%s)]" % (addr, m.group(2)) if m.group(2) else "[unknown]"
        return model.Loc(addr, name, 0)
    m = model.SIDE.match(text)
    if not m:
        return None
    off = int(m.group(3), 16)
    return model.Loc(int(m.group(1), 16), m.group(2), 0 if off >= GARBAGE else off)


if hasattr(model, "side"):
    model.side = side


def track(key):
    return "%d/%d" % (key[0] or 0, key[1] or 0)


def start_of(loc):
    """The first address of the function that a location lies in."""
    return (loc.addr - loc.off) & (1 << 64) - 1


class Writer(model.Writer):
    """The model with our rules; `seen` counts what occurred."""

    def __init__(self, case, seen):
        traps = case.traps
        super().__init__(case.scope, model.OURS, traps and {
            "p": [], "o": [], "e": traps["enter"]})
        self.traps = traps
        self.filtered = bool(case.filter)
        self.seen = seen
        self.clamped = 0
        self.region = self.left = 0     # of the filter: that we are in, the last that was left
        self.hit_base = min((h[0] for h in case.hits), default=None)

    def die(self, msg):
        """Ours goes on where the OCaml program dies."""

    # What is written, with marks that the comparison and the counts need.

    def write(self, th, t, p):
        super().write(th, t, p)
        if p[0] == "inf":
            self.seen["inferred begin" + (" on a nested stack" if th.parked else "")] += 1
            if th.parked or getattr(th.stack, "replaced", False):
                th.defer[0] = th.defer[0][:4] + ("free",)
        elif p[0] == "ru":
            self.seen["return from untraced"] += 1
            span = th.defer.pop(0)
            at = next(i for i, d in enumerate(th.defer) if d is p[2])
            if span[1] == span[4]:      # nothing to enclose: as the model has it
                del th.defer[at]
                th.defer.insert(0, span)
            else:
                th.defer[at] = span
        elif t == 0:
            self.seen["begin deferred at 0" if p[0] == "B" else "end deferred at 0"] += 1

    def pend(self, th, t, p):
        """Ours: what was found later encloses what was found earlier and begins with it.

        So a return from untraced code keeps the place among the deferred that it had when it
        happened: inside the frame that it returned to.
        """
        if p[0] != "ru":
            super().pend(th, t, p)
            return
        place = ["place of a return from untraced"]
        super().pend(th, t, p + (place,))
        th.defer.insert(0, place)

    def flush(self, th, T):
        if sum(p[0] == "B" for p in th.pending) > 1 and T > th.ptime:
            self.seen["several calls share a time"] += 1
        super().flush(th, T)

    # Primitive operations.

    def ret_nogo(self, th, t):
        """Ours: the copy of a frame that lies in front of an OCaml handler has no span to end."""
        if th.stack.f and getattr(th.stack.f[-1], "copied", False):
            if t != th.ptime:
                self.flush(th, t)
            return th.stack.f.pop()
        return super().ret_nogo(th, t)

    def ret(self, th, t):
        if th.stack.f and th.stack.f[-1].sym == "gogo":
            if any(f.sym in GO_SWITCH for f in th.stack.f):
                self.seen["Go switch"] += 1
            else:
                self.seen["Go switch to an unknown stack"] += 1
        super().ret(th, t)

    def check(self, th, t, L):
        if th.stack.f and th.stack.f[-1].sym != L.sym:
            self.seen["jump to another symbol"] += 1
        super().check(th, t, L)

    def new_stack(self, th, a, t):
        super().new_stack(th, a, t)
        # Said to begin at t, when what it replaces may end later: see compare.loose_difference.
        th.stack.replaced = model.kern(a)

    def ruleA(self, th, t):
        if not self.ex and th.stack.f and th.stack.f[-1].sym.startswith("caml_raise"):
            self.seen["OCaml raise, no notes"] += 1
        super().ruleA(th, t)

    def pop_trap(self, th, t):
        known = bool(th.parked)
        self.seen["OCaml handler removed" + ("" if known else ", none known")] += 1
        super().pop_trap(th, t)
        if not known:
            th.stack.replaced = True

    def end_thread(self, th, t, k):
        """Ours: not before what has been drawn, be it 1 ns later than the thread's last event."""
        if th.parked:
            self.seen["parked stacks closed"] += 1
        super().end_thread(th, max([t] + [s.created for s in th.parked + [th.stack]]), k)

    # Events.

    def place(self, e):
        """Mapped and shifted time of an event on its thread, as the model's feed does it."""
        if self.base is None and e.time is not None:
            self.base = e.time if self.hit_base is None else min(e.time, self.hit_base)
        raw = e.time - self.base if e.time is not None else None
        th = self.thread(e, raw)
        th.floor = getattr(th, "floor", 0)
        t = th.levt if raw is None else raw
        own = t
        if t == th.lerr and th.lerr != 0:
            t += 1
            self.seen["moved by 1 ns after an error or the thread's start"] += 1
        drawn = [s.created for s in th.parked + [th.stack]]
        bound = max(drawn + [t, 0, th.levt, th.ptime if th.pending else 0, th.lerr, th.floor])
        if own < max(th.levt, 0):
            self.seen["time that stepped backwards"] += 1
            self.clamped += 1
        th.levt = max(own, th.levt, 0)
        return th, bound

    def enter(self, t):
        """Ours: a thread that is ahead of the START enters where it is, and never goes back."""
        self.seen["filter region entered"] += 1
        self.inreg = True
        for th in self.order:
            self.inreg = False
            self.flush(th, t)
            th.defer = []
            self.inreg = True
            if th.parked:
                self.seen["filter region entered with parked stacks"] += 1
            before, th.floor = getattr(th, "floor", 0), max(t, th.lerr, th.levt)
            for depth, stack in enumerate(th.parked + [th.stack]):
                stack.created = max(th.floor - 1, before)
                # Frames still to be found begin then too, where nothing can be earlier.
                mark = "free" if depth or stack.created == th.floor else "inf"
                for L in stack.f:
                    if not getattr(L, "copied", False):
                        self.emit("B", th.floor, th.k, L, mark)

    def feed(self, e):
        th, t = self.place(e)
        # Ours: what a transaction kept back until its region was over lies outside.
        region = e.region if e.region > self.left else 0
        if self.inreg and region and not self.region:
            self.region = region
        if self.filtered and self.inreg and (not region or region != self.region):
            for x in list(self.order):
                self.end_thread(x, x.levt, False)
                x.floor = x.lerr
            self.inreg, self.left = False, self.region
        if region and not self.inreg:
            self.enter(t)
            self.region = region
        getattr(self, "on_" + e.t)(th, t, e)

    def on_err(self, th, t, e):
        self.seen["decode error" + ("" if e.time is not None else " without a time")] += 1
        if None in th.k:
            self.seen["decode error on an unknown thread"] += 1
        self.emit("X", t, th.k, "[decode error: %s]" % e.msg, t)
        self.end_thread(th, t, model.kern(e.ip))
        th.prevdst = None       # ours: what ran between is not known

    def on_cbr(self, th, t, e):
        self.seen["cbr"] += 1
        self.emit("C", t, th.k, "CPU", e.freq)

    def on_ptw(self, th, t, e):
        self.seen["ptwrite"] += 1
        self.emit("P", t, th.k, "ptwrite", e.payload)

    def on_ext(self, th, t, e):
        self.seen["extra event"] += 1
        self.emit("S", t, ("extra", e.name, e.pid), e.loc.sym, (e.loc.addr, e.period, track(th.k)))

    def on_stk(self, th, t, e):
        """Ours: frames compared by their function's start; pop, not the Go rule; and a sample that
        changes nothing is a timestamp, up to which what waits is spread."""
        self.seen["stack sample" + ("" if e.chain else " without frames")] += 1
        frames, same = th.stack.f, 0
        while (same < min(len(frames), len(e.chain)) and
               start_of(frames[same]) == start_of(e.chain[same])):
            if frames[same].addr != e.chain[same].addr:
                self.seen["frame that moved inside its function"] += 1
            same += 1
        if same == len(frames) == len(e.chain) and t > th.ptime:
            self.seen["stack sample that changed nothing"] += 1
            self.flush(th, t)
        while len(th.stack.f) > same:
            self.ret_nogo(th, t)
        for L in e.chain[same:]:
            self.call(th, t, L)

    def on_br(self, th, t, e):
        word = ("%s %s" % ({"start": "tr strt", "end": "tr end"}.get(e.state, ""),
                           e.kind or "")).strip()
        self.seen["branch " + (word or "without a change")] += 1
        # Ours, where the OCaml program dies or has no rule.
        e = copy.copy(e)
        if e.state == "start":
            e.kind = None
        e.kind = {"jcc": "jmp", "vmentry": "syscall", "vmexit": "sysret"}.get(e.kind, e.kind)
        if e.state == "end" and e.kind in ("hw int", "jmp", "int", "tx abrt"):
            e.kind = None
        if e.state is None and e.kind == "async":
            e.kind = "hw int" if e.dst.addr else None
        if e.state is None and e.kind in ("syscall", "hw int"):
            self.seen["stack parked" + (" on another" if th.parked else "")] += 1
        if e.state is None and e.kind in ("iret", "sysret"):
            self.seen["iret or sysret " + ("to a parked stack" if th.parked else "to nothing")] += 1
        self.handlers(th, t, e)
        self.branch(th, t, e)

    def entertrap_check(self, th, t, L):
        """Ours: only a copy is dropped without an end.

        Where no handler was seen installed, the outermost frame is taken to have done it.
        """
        if not self.ex or L.addr not in self.ex["e"]:
            self.check(th, t, L)
            return
        self.seen["OCaml handler entered"] += 1
        if under_handler(th):
            th.stack.f.pop(0)
        elif th.stack.f:
            while len(th.stack.f) > 1:
                self.ret_nogo(th, t)
            self.check(th, t, L)
            return
        self.pop_trap(th, t)

    def handlers(self, th, t, e):
        """OCaml exception handlers installed and removed since the last branch."""
        if not self.traps or th.prevdst is None:
            return
        push, pop = self.traps["push"], self.traps["pop"]
        for a in sorted(set(push + pop)):
            if not th.prevdst <= a <= e.src.addr:
                continue
            if a in push:
                self.seen["OCaml handler installed"] += 1
                copied = [Copied(L) for L in th.stack.f[-1:]]
                th.parked.append(th.stack)
                th.stack = model.Stack(t)
                th.stack.f = copied
            elif len(th.stack.f) == 1 and under_handler(th):
                th.stack.f.pop()
                self.pop_trap(th, t)
            else:
                self.seen["OCaml handler removed that was not seen installed"] += 1


def under_handler(th):
    return bool(th.stack.f) and getattr(th.stack.f[0], "copied", False)


class Copied:
    """A copy of a frame, without a span of its own."""

    def __init__(self, L):
        self.addr, self.sym, self.off, self.copied = L.addr, L.sym, L.off, True
