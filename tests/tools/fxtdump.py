#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent reader of Fuchsia trace (FXT) files, plain or gzip'd.

usage: fxtdump.py [--spans] [--check] FILE

Default: one line an event, in file order:
    <ph> <ts_ns> <track> <name> [end=<ts>] [k=v ...]
  ph is B (duration begin), E (duration end), X (complete), i (instant), C (counter),
  s/t/f (flow begin/step/end); <track> is "process name/thread name".
--spans: sorts each track by time (stable), pairs B/E (E closes the newest open B, whatever its
  name) and prints one line a span, sorted by track, start, depth:
    <track> <depth> <start_ns> <dur_ns> <name>       (dur -1: never closed)
--check: prints only a summary: counts by kind, unmatched begins and ends, mismatched names, slices that
  cross, greatest depth, events written out of time order (allowed), string slots redefined (allowed);
  exit 1 on a malformed file, on no events, and on any fault among these (depth over 512 is one).
Names are printed as JSON strings.
"""
import gzip, json, struct, sys


class Bad(Exception):
    pass


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if len(data) % 8:
        raise Bad("size %d is not a multiple of 8" % len(data))
    return data


class Reader:
    def __init__(self, data):
        self.d = data
        self.strings = {0: ""}
        self.threads = {}
        self.pname = {}
        self.tname = {}
        self.ticks = 1000000000
        self.base = None
        self.redefined = 0
        self.counts = {}

    def word(self, off):
        return struct.unpack_from("<Q", self.d, off)[0]

    def sref(self, ref, off):
        """-> (string, bytes consumed inline)"""
        if ref & 0x8000:
            n = ref & 0x7FFF
            s = self.d[off:off + n]
            return s.decode("utf-8", "replace"), (n + 7) // 8 * 8
        if ref not in self.strings:
            raise Bad("string %d used before it is defined (offset %d)" % (ref, off))
        return self.strings[ref], 0

    def args(self, n, off, end):
        out = []
        for _ in range(n):
            if off >= end:
                raise Bad("argument past the record's end at %d" % off)
            h = self.word(off)
            t, size, nref, val = h & 15, (h >> 4) & 0xFFF, (h >> 16) & 0xFFFF, h >> 32
            if size == 0 or off + size * 8 > end:
                raise Bad("argument of %d words at %d" % (size, off))
            p = off + 8
            name, used = self.sref(nref, p)
            p += used
            if t == 0: v = None
            elif t == 1: v = struct.unpack("<i", struct.pack("<I", val))[0]
            elif t == 2: v = val
            elif t == 3: v = struct.unpack_from("<q", self.d, p)[0]
            elif t == 4: v = self.word(p)
            elif t == 5: v = struct.unpack_from("<d", self.d, p)[0]
            elif t == 6: v, _ = self.sref(val & 0xFFFF, p)
            elif t == 7: v = "0x%x" % self.word(p)
            elif t == 8: v = "koid:%d" % self.word(p)
            elif t == 9: v = bool(val & 1)
            else: raise Bad("argument type %d at %d" % (t, off))
            out.append((name, v))
            off += size * 8
        return out, off

    def events(self):
        d, off, first = self.d, 0, True
        while off < len(d):
            h = self.word(off)
            rt, size = h & 15, (h >> 4) & 0xFFF
            if rt == 15:
                size = (h >> 4) & 0xFFFFFFFF
            if size == 0 or off + size * 8 > len(d):
                raise Bad("record type %d of %d words at offset %d of %d" % (rt, size, off, len(d)))
            end = off + size * 8
            if first and h != 0x0016547846040010:
                raise Bad("no magic number record at the start")
            first = False
            self.counts[rt] = self.counts.get(rt, 0) + 1
            if rt == 1:
                self.ticks = self.word(off + 8)
                if size >= 4:
                    self.base = (self.word(off + 16), self.word(off + 24))
            elif rt == 2:
                idx, n = (h >> 16) & 0x7FFF, (h >> 32) & 0x7FFF
                if 8 + (n + 7) // 8 * 8 != size * 8:
                    raise Bad("string record of %d words for %d bytes at %d" % (size, n, off))
                s = d[off + 8:off + 8 + n].decode("utf-8", "replace")
                if idx in self.strings and self.strings[idx] != s and idx != 0:
                    self.redefined += 1
                if idx:
                    self.strings[idx] = s
            elif rt == 3:
                self.threads[(h >> 16) & 0xFF] = (self.word(off + 8), self.word(off + 16))
            elif rt == 7:
                ot, nref, na = (h >> 16) & 0xFF, (h >> 24) & 0xFFFF, (h >> 40) & 15
                koid, p = self.word(off + 8), off + 16
                name, used = self.sref(nref, p)
                a, p = self.args(na, p + used, end)
                if ot == 1: self.pname[koid] = name
                elif ot == 2:
                    proc = dict(a).get("process")
                    self.tname[koid] = name
            elif rt == 4:
                et, na, tref = (h >> 16) & 15, (h >> 20) & 15, (h >> 24) & 0xFF
                cref, nref = (h >> 32) & 0xFFFF, h >> 48
                ts, p = self.word(off + 8), off + 16
                if tref:
                    if tref not in self.threads:
                        raise Bad("thread %d used before it is defined at %d" % (tref, off))
                    pt = self.threads[tref]
                else:
                    pt = (self.word(p), self.word(p + 8)); p += 16
                _, used = self.sref(cref, p); p += used
                name, used = self.sref(nref, p); p += used
                a, p = self.args(na, p, end)
                extra = None
                if et in (1, 4, 8, 9, 10, 5, 6, 7):
                    extra = self.word(p); p += 8
                if p != end:
                    raise Bad("event record of type %d has %d bytes left over at %d" % (et, end - p, off))
                ns = ts if self.ticks == 1000000000 else ts * 1000000000 // self.ticks
                yield et, ns, pt, name, a, extra
            off = end

    def track(self, pt):
        return "%s/%s" % (self.pname.get(pt[0], pt[0]), self.tname.get(pt[1], pt[1]))


PH = {0: "i", 1: "C", 2: "B", 3: "E", 4: "X", 5: "b", 6: "n", 7: "e", 8: "s", 9: "t", 10: "f"}


def main(argv):
    mode = "events"
    files = []
    for a in argv:
        if a == "--spans": mode = "spans"
        elif a == "--check": mode = "check"
        elif a in ("-h", "--help"): sys.exit(__doc__)
        else: files.append(a)
    if len(files) != 1:
        sys.exit(__doc__)
    r = Reader(load(files[0]))
    w = sys.stdout.write
    tracks, kinds, last, back = {}, {}, {}, 0
    for et, ns, pt, name, a, extra in r.events():
        ph = PH.get(et, "?")
        kinds[ph] = kinds.get(ph, 0) + 1
        if mode == "events":
            s = "%s %d %s %s" % (ph, ns, json.dumps(r.track(pt)), json.dumps(name))
            if ph == "X": s += " end=%d" % extra
            for k, v in a: s += " %s=%s" % (k, json.dumps(v))
            w(s + "\n")
            continue
        if ns < last.get(pt, 0): back += 1
        last[pt] = max(ns, last.get(pt, 0))
        if ph in "BEX": tracks.setdefault(pt, []).append((ns, ph, name, extra))
    un_b = un_e = mism = cross = deep = 0
    spans = []
    for pt, evs in tracks.items():
        evs.sort(key=lambda e: e[0])    # stable, as the viewer's importer sorts
        st, tr = [], r.track(pt)
        xs = [(ns, extra) for ns, ph, name, extra in evs if ph == "X" and extra > ns]
        for ns, ph, name, extra in evs:
            if ph == "B": st.append((ns, name)); deep = max(deep, len(st))
            elif ph == "E":
                if st:
                    b, bn = st.pop()
                    cross += any(x0 <= b < x1 < ns or b < x0 < ns < x1 for x0, x1 in xs)
                    if name and bn != name: mism += 1
                    spans.append((tr, len(st), b, ns - b, bn))
                else: un_e += 1
            else: spans.append((tr, len(st), ns, extra - ns, name))
        un_b += len(st)
        for dpt, (b, bn) in enumerate(st): spans.append((tr, dpt, b, -1, bn))
    if mode == "spans":
        spans.sort(key=lambda s: (s[0], s[2], s[1]))
        for t, dpt, b, dur, n in spans:
            w("%s %d %d %d %s\n" % (json.dumps(t), dpt, b, dur, json.dumps(n)))
    if mode == "check":
        w("events %s\nrecords %s\nunmatched begins %d\nunmatched ends %d\nmismatched names %d\n"
          "crossing slices %d\ngreatest depth %d\nwritten out of time order %d\nstring slots redefined %d\nbase %s\n"
          % (json.dumps(kinds, sort_keys=True), json.dumps(r.counts, sort_keys=True), un_b, un_e,
             mism, cross, deep, back, r.redefined, r.base))
        if not kinds: raise Bad("no events")
        if un_b or un_e or mism or cross or deep > 512: raise Bad("see the counts above")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Bad as e:
        sys.exit("malformed: %s" % e)
    except BrokenPipeError:
        pass
