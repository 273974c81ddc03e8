# SPDX-License-Identifier: MIT
"""A trace file as the tests look at it: events with tracks PID/TID, and spans with their depth."""
import collections
import json
import re

from harness import fxtcheck, fxtdump

# ph as fxtdump.py prints it; end: of a complete span, else None; args: a dict
Event = collections.namedtuple("Event", "ph time track name args end")
# begin, end: Events, the same one for a complete span; end None when it was never closed
Span = collections.namedtuple("Span", "track depth start length name begin end")


# what times are, behind the names of what was recorded in software
TIME = r"(?: \[\w+ time\])?$"


def track_name(process, thread):
    """PID/TID from the names that viewers show; PID/NAME for a track that is no thread; "hits".
    What kind of time it is may stand behind a name: "... [virtual time]"."""
    process, thread = (re.sub(r" \[\w+ time\]$", "", name) for name in (process, thread))
    pid = re.search(r"\[pid=(\d+|\?)\]" + TIME, process)
    if not pid:
        return thread
    tid = re.search(r"\[tid=(\d+|\?)\]" + TIME, thread)
    if tid:
        return "%s/%s" % (pid.group(1), tid.group(1))
    return "%s/%s" % (pid.group(1), pid.group(1) if thread == "main" else thread)


def read(path, deepest=fxtcheck.DEEPEST):
    """All events of a trace, in file order; of one that is sound, for none other is of use."""
    faults = fxtcheck.faults(path, deepest)
    if faults:
        raise fxtdump.Bad("%s: %s" % (path, "; ".join(faults[:3])))
    reader = fxtdump.Reader(fxtdump.load(path))
    raw = list(reader.events())
    out = []
    for kind, time, key, name, args, extra in raw:
        track = track_name(str(reader.pname.get(key[0], key[0])),
                           str(reader.tname.get(key[1], key[1])))
        ph = fxtdump.PH[kind]
        out.append(Event(ph, time, track, name, dict(args), extra if ph == "X" else None))
    return out


def spans(events):
    """Begins and ends paired as viewers do it; sorted by track, start and depth."""
    tracks, out = collections.OrderedDict(), []
    for e in events:
        if e.ph in "BEX":
            tracks.setdefault(e.track, []).append(e)
    for name, track in tracks.items():
        stack = []
        for e in sorted(track, key=lambda e: e.time):
            if e.ph == "B":
                stack.append(e)
            elif e.ph == "X":
                out.append(Span(name, len(stack), e.time, e.end - e.time, e.name, e, e))
            elif stack:
                b = stack.pop()
                out.append(Span(name, len(stack), b.time, e.time - b.time, b.name, b, e))
            else:
                out.append(Span(name, -1, e.time, 0, "an end without a begin: " + e.name, e, e))
        out += [Span(name, d, b.time, -1, b.name, b, None) for d, b in enumerate(stack)]
    return sorted(out, key=lambda s: s[:4])


def shown(events):
    """One line a span, counter or instant: what the kept traces (tests/golden) hold."""
    lines = []
    for s in spans(events):
        line = "%s %d %d %d %s" % (s.track, s.depth, s.start, s.length, json.dumps(s.name))
        args = dict(s.begin.args)
        if s.begin.ph == "B":
            line += " inferred" if args.get("inferred_start_time") == "true" else ""
            args = s.end.args if s.end else {}
        lines.append(line + shown_args(args))
    for e in events:
        if e.ph == "C":
            lines.append("%s counter %d %s%s" % (e.track, e.time, json.dumps(e.name),
                                                 shown_args(e.args)))
        elif e.ph == "i":
            lines.append("%s instant %d %s%s" % (e.track, e.time, json.dumps(e.name),
                                                 shown_args(e.args)))
    return lines


def shown_args(args):
    return "".join(" %s=%s" % (k, json.dumps(v)) for k, v in args.items())
