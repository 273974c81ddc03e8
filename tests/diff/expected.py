# SPDX-License-Identifier: MIT
"""What must come out of a case by the slow model with our rules (rules.py)."""
import collections
import re

import rules

# A ptwrite goes through the model's parser as a cbr of this many MHz, and its number.
PTWRITE_MARK = 9000000


def parse(text):
    """The text's events, ptwrites among them."""
    payloads = []

    def as_cbr(m):
        payloads.append(int(m.group(2), 16))
        return "%scbr: cbr: 1 freq: %d MHz" % (m.group(1), PTWRITE_MARK + len(payloads) - 1)

    text = re.sub(r"^(.*\s)ptwrite:.*payload: 0x([0-9a-f]+).*$", as_cbr, text, flags=re.M)
    events = rules.model.parse(text)
    for e in events:
        if e.t == "cbr" and e.freq >= PTWRITE_MARK:
            e.t, e.payload = "ptw", payloads[e.freq - PTWRITE_MARK]
    return events


def mark(events, names, regions):
    """The region of the filter that each event lies in, or 0; regions: how many there were before.

    Ours: the first of several STARTs opens a region. Returns how many there are now, and whether a
    START was without STOP.
    """
    start, stop = names
    opened = None
    for i, e in enumerate(events):
        e.region = 0
        symbols = []
        if e.t == "br" and e.kind == "call" and e.state != "start":
            symbols = [e.dst.sym]
        elif e.t == "stk":
            symbols = [L.sym for L in reversed(e.chain)]
        name = next((s for s in symbols if s in names), None)
        if name == start and opened is None:
            opened = i
        elif name == stop and opened is not None:
            regions += 1
            for inside in events[opened:i]:
                inside.region = regions
            opened = None
    return regions, opened is not None


class Queues:
    """Events of transactions that may still abort. Ours: a queue a thread, delivered at the end."""

    def __init__(self, feed, seen):
        self.waiting = collections.OrderedDict()
        self.feed = feed
        self.seen = seen

    def take(self, e):
        key = (e.pid, e.tid)
        queue = self.waiting.setdefault(key, [])
        abort = e.t == "br" and e.kind == "tx abrt"
        if e.tx and not abort:
            queue.append(e)
            return
        if e.t == "err" or abort:
            if queue:
                self.seen["transaction lost in an error" if e.t == "err" else
                          "transaction aborted"] += 1
        else:
            self.deliver(queue)
        queue.clear()
        self.feed(e)

    def deliver(self, queue):
        if queue:
            self.seen["transaction committed"] += 1
        for e in queue:
            self.feed(e)

    def finish(self):
        for queue in self.waiting.values():
            if queue:
                self.seen["transaction open at the end"] += 1
            self.deliver(queue)


def next_file(w, e, first):
    """The first branch or sample of a data file. Ours: never backwards, and behind the first file
    last_error_time too."""
    for th in w.order:
        w.end_thread(th, th.levt, False)
    for th in w.order:
        w.seen["thread that goes on in the next file"] += 1
        t = max(e.time - w.base, 0, th.levt, th.lerr)
        th.ptime = th.levt = th.stack.created = t
        if not first:
            th.lerr = t


def run(case, seen):
    """The spans of a case in the order the model writes them (see cases.py), and the model."""
    w = rules.Writer(case, seen)
    regions = 0
    queues = Queues(w.feed, seen)
    seen["scope " + case.scope] += 1
    seen["several files"] += len(case.texts) > 1
    for number, text in enumerate(case.texts):
        events = parse(text)
        if case.filter:
            before = regions
            regions, unclosed = mark(events, case.filter, regions)
            seen["filter region"] += regions - before
            seen["START without STOP"] += unclosed
        first = True
        for e in events:
            if not case.filter:
                e.region = 0
            if first and e.t in ("br", "stk"):
                first = False
                if w.base is None:
                    w.base = e.time if w.hit_base is None else min(e.time, w.hit_base)
                next_file(w, e, number == 0)
            if case.skip_tx:
                e.tx = False
                w.feed(e)
            else:
                queues.take(e)
    queues.finish()
    w.finish()
    return [plain(o) for o in w.out] + hits(case, w), w


def plain(o):
    """A span of the model's as cases.py says.

    Inferred begins keep their mark: "inf", or "free" on a stack in front or in place of another.
    """
    kind, t, key, L, detail = o
    if key[0] == "extra":
        return kind, t, "extra/%s/%d" % (key[1], key[2] or 0), L, detail
    if kind == "B":
        return kind, t, rules.track(key), L.sym, (L.addr, detail)
    if kind == "E":
        return kind, t, rules.track(key), L.sym, None
    return kind, t, rules.track(key), L, detail


def hits(case, w):
    """The hits' spans: only the stop indicator's passed time moves the start."""
    out = []
    base = w.base if w.base is not None else w.hit_base
    for time, passed, arg, ip, tid, symbol in case.hits:
        at, indicator = time - base, symbol == "magic_trace_stop_indicator"
        usable = indicator and passed and base <= passed <= time
        w.seen["hit" + (" with a passed time" if usable else "")] += 1
        out.append(("H", passed - base if usable else at, "hits", symbol,
                    (at, passed - base, arg if indicator else None, ip, tid)))
    return out
