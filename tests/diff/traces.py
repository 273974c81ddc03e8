#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recorded texts in ../shared/traces: our traces against those of the OCaml magic-trace.

Content, order of each track, times and arguments must be equal, but for DIFFERENCES: each says why
ours is meant to differ, and how often it does in which trace. Anything else fails, and so does
another count.
"""
import collections
import json
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import harness                  # noqa: E402
import fxt                      # noqa: E402
import names                    # noqa: E402
import cases                    # noqa: E402
import expected                 # noqa: E402

TRACES = os.path.join(harness.SHARED, "traces")
# memmove_decode_error: by our rules the two frames go on over the overflow, as the return behind it
# to the outer one shows (tests/golden/lost*).
FLAGS = {"page_fault": ["-trace-include-kernel"], "c_demo_sampling": ["-sampling"],
         "memmove_decode_error": ["-stacks", "reference"]}

UNSIGNED = "kernel addresses in names are printed unsigned"
SAMPLES = "sampled frames are compared by their function's start: a leaf that moves stays one span"
AROUND = "an [unknown] that encloses other spans is a begin and an end, not a complete span"
GOROUTINE = "the frame that called mcall goes on: it is one span, not ended and begun anew"
ORDER = "of what shares a time, what encloses stands before what it encloses"
NAMES = "clones are called as their functions, and OCaml's names as programmers write them"

# {reason: {trace: how many events}}
DIFFERENCES = {
    # The kernel's entry code, which no symbol is known for.
    UNSIGNED: {"c_demo_sampling": 212},
    # What comes out instead is worked out from the text by the slow model of the rules.
    SAMPLES: {"c_demo_sampling": 2526},
    # The five frames that Go's scheduler switched to: found one by one as they return, all said to
    # begin at the switch. The OCaml program draws the innermost one outermost.
    ORDER: {"golang_exit_converted": 5},
    # gogo jumps right behind the call of mcall in runtime.gopark, which has not returned.
    GOROUTINE: {"simple_gogo": 2},
    # The rule for names, by a second hand: names.shown().
    NAMES: {"c_demo_sampling": 10, "demo_with_branch_misses": 10, "ocaml_async": 4,
            "soft_tail": 154, "soft_thr": 76},
}
# {trace: [theirs, ours]}: spans (depth, start, length, name) that come of ORDER and GOROUTINE.
REORDERED = {
    "simple_gogo": [
        [(3, 39, 70931, "runtime.gopark"), (3, 70970, 12, "runtime.gopark")],
        [(3, 39, 70943, "runtime.gopark")]],
    "golang_exit_converted": [
        [(0, 13, 26, "runtime.gopark"), (1, 13, 12, "main.main"),
         (2, 13, 11, "main.(*sequencer).GetExitCode"), (3, 13, 10, "runtime.chanrecv1"),
         (4, 13, 1, "runtime.chanrecv")],
        [(0, 13, 26, "main.main"), (1, 13, 12, "main.(*sequencer).GetExitCode"),
         (2, 13, 11, "runtime.chanrecv1"), (3, 13, 10, "runtime.chanrecv"),
         (4, 13, 1, "runtime.gopark")]],
}

GOROUTINES = {"simple_gogo": [(ph, 70970, "runtime.gopark") for ph in "EB"]}

EVENT = re.compile(r'(\S) (\d+) ("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")(?: end=(\d+))?(.*)')
ARG = re.compile(r' ([^=]+)=("(?:[^"\\]|\\.)*"|\S+)')
SPAN = re.compile(r'("(?:[^"\\]|\\.)*") (\d+) (\d+) (-?\d+) (.*)')


def their_track(name):
    """The OCaml program makes a process of each thread."""
    m = re.match(r"\[pid=(\d+)\](?: \[tid=(\d+)\])?/(.*)$", name)
    pid, tid, thread = m.groups()
    return "%s/%s" % (pid, (tid or pid) if thread == "main" else thread)


def unsigned(name):
    return re.sub(r"@ -0x([0-9a-f]+) ", lambda m: "@ 0x%x " % ((1 << 64) - int(m.group(1), 16)),
                  name)


def shown_event(e, count):
    """The event with its name as it is shown; a begin has the clone behind its symbol."""
    name, clone = names.shown(e.name)
    if name == e.name:
        return e
    count[NAMES] += 1
    args = {}
    for key_, value in e.args.items():
        args[key_] = names.shown(value)[0] if key_ == "symbol" else value
        if key_ == "symbol" and clone:
            args["clone"] = clone
    return e._replace(name=name, args=args)


def read_reference(name, count):
    """NAME.events, as fxt.py says, with unsigned names."""
    out = []
    with open(os.path.join(TRACES, name + ".events"), encoding="utf-8") as f:
        for line in f:
            ph, time, track, text, end, rest = EVENT.match(line.rstrip("\n")).groups()
            args = {k: json.loads(v) for k, v in ARG.findall(rest)}
            plain = unsigned(json.loads(text))
            if "symbol" in args:
                args["symbol"] = unsigned(args["symbol"])
            if plain != json.loads(text):
                count[UNSIGNED] += 1
            out.append(fxt.Event(ph, int(time), their_track(json.loads(track)), plain, args,
                                 int(end) if end else None))
    return out


def from_model(name):
    """What the rule for samples makes of the text, by the slow model."""
    with open(os.path.join(TRACES, name + ".perf"), encoding="utf-8") as f:
        case = cases.Case([f.read()])
    spans, _ = expected.run(case, collections.Counter())
    out = []
    for kind, time, track, text, detail in spans:
        args = {}
        if kind == "B":
            args = {"address": "0x%x" % detail[0], "symbol": text}
            if detail[1]:
                args["inferred_start_time"] = "true"
        out.append(fxt.Event(kind, time, track, text, args, detail if kind == "X" else None))
    return out


def by_track(events):
    tracks = collections.OrderedDict()
    for e in events:
        tracks.setdefault(e.track, []).append(e)
    for t in tracks.values():
        t.sort(key=lambda e: e.time)
    return tracks


def one_unknown(events, count):
    """Ours, with each [unknown] that is a begin and an end made one complete span again."""
    out = []
    for track in by_track(events).values():
        stack, made = [], []
        for e in track:
            made.append(e)
            if e.ph == "B":
                stack.append(len(made) - 1)
            elif e.ph == "E" and stack:
                begin = made[stack.pop()]
                if begin.name == "[unknown]" and "symbol" not in begin.args:
                    made[made.index(begin)] = begin._replace(ph="X", args={}, end=e.time)
                    made.pop()
                    count[AROUND] += 1
        out += made
    return out


def one_goroutine(name, events, count):
    """Theirs, without the end and the begin of what went on."""
    if name not in GOROUTINES:
        return events
    out = [e for e in events if (e.ph, e.time, e.name) not in GOROUTINES[name]]
    count[GOROUTINE] = len(events) - len(out)
    return out


def key(e):
    return e.ph, e.time, e.name, e.end, tuple(e.args.items())


def compare_track(track, theirs, ours, count):
    """Faults; equal times in another order are counted."""
    if len(theirs) != len(ours):
        return ["track %s: %d events, expected %d" % (track, len(ours), len(theirs))]
    at = 0
    while at < len(theirs):
        if key(theirs[at]) == key(ours[at]):
            at += 1
            continue
        end = at
        while end < len(theirs) and theirs[end].time == theirs[at].time:
            end += 1
        a, b = (collections.Counter(key(e) for e in t[at:end]) for t in (theirs, ours))
        if a != b:
            return ["track %s, event %d: expected %s, got %s" % (track, at, theirs[at], ours[at])]
        count[ORDER] += end - at
        at = end
    return []


def check_spans(name, ours, around):
    """NAME.spans: tracks, depths, starts, lengths, names."""
    want = collections.Counter()
    with open(os.path.join(TRACES, name + ".spans"), encoding="utf-8") as f:
        for line in f:
            track, depth, start, length, text = SPAN.match(line.rstrip("\n")).groups()
            want[their_track(json.loads(track)), int(depth), int(start), int(length),
                 names.shown(unsigned(json.loads(text)))[0]] += 1
    got = collections.Counter(s[:5] for s in fxt.spans(ours))
    for spans, sides in zip(REORDERED.get(name, [[], []]), (want, got)):
        for s in spans:
            sides[(ours[0].track,) + s] -= 1
    if around:
        # What lies inside an [unknown] is one level deeper than the OCaml program says.
        want, got = (collections.Counter(k[:1] + k[2:] for k in c.elements()) for c in (want, got))
    return ["missing span: %s" % (s,) for s in set(want) | set(got) if want[s] > got[s]] + \
           ["span not expected: %s" % (s,) for s in set(want) | set(got) if got[s] > want[s]]


def run_trace(build, name):
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        shutil.copy(os.path.join(TRACES, name + ".perf"), os.path.join(work, "perf.data"))
        run = harness.decode(build, work, "-time-spread", "reference", *FLAGS.get(name, []))
        if run.status != 0:
            return ["exit status %d: %s" % (run.status, run.stderr[-1000:])], count
        ours = fxt.read(run.path)
    theirs = read_reference(name, count)
    if name == "c_demo_sampling":
        reference = collections.Counter(key(e) for e in theirs)
        theirs = from_model(name)
        ours_too = collections.Counter(key(e) for e in theirs)
        count[SAMPLES] = sum((reference - ours_too).values())
    theirs = one_goroutine(name, theirs, count)
    theirs = [shown_event(e, count) for e in theirs]
    same = one_unknown(ours, count)
    a, b = by_track(theirs), by_track(same)
    faults = ["track %s is only %s" % (t, "ours" if t in b else "theirs") for t in set(a) ^ set(b)]
    for track in a:
        if track in b:
            faults += compare_track(track, a[track], b[track], count)
    if name != "c_demo_sampling":
        faults += check_spans(name, ours, count[AROUND])
    return faults, count


def main():
    report = harness.Report("diff/traces")
    build = harness.build_dir()
    if not os.path.isdir(TRACES):
        report.skip("recorded texts", "no ../shared/traces here")
        report.exit()
    for file in sorted(os.listdir(TRACES)):
        name, ext = os.path.splitext(file)
        if ext != ".perf":
            continue
        faults, count = run_trace(build, name)
        for reason in sorted(set(DIFFERENCES) | set(count)):
            want = DIFFERENCES.get(reason, {}).get(name, 0)
            if count[reason] != want:
                faults.append("%d events, expected %d: %s" % (count[reason], want, reason))
        report.check(name, faults)
    report.exit()


if __name__ == "__main__":
    main()
