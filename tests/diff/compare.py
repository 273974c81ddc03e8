# SPDX-License-Identifier: MIT
"""Whether spans nest, and whether ours are the expected ones. Spans are tuples as in cases.py."""
import collections

UNTRACED = "[unknown]"          # a return to code before the trace


def by_track(spans):
    """Each track's spans, sorted by time; equal times stay in the order they were written."""
    tracks = collections.OrderedDict()
    for s in spans:
        # Counters have a track of their own in every viewer.
        tracks.setdefault(s[2] + ("/CPU" if s[0] == "C" else ""), []).append(s)
    for t in tracks.values():
        t.sort(key=lambda s: s[1])
    return tracks


def is_moment(span):
    """An error in data that was lost, which lies in the span of all that was."""
    return span[0] == "X" and span[1] == span[4]


def faults(spans, max_depth=0):
    """What is wrong with our spans on their own: nesting, balance, time, depth."""
    out = []
    for s in spans:
        if s[1] < 0 or s[0] == "X" and s[4] < s[1]:
            out.append("negative time or length: %s" % (s,))
    for name, track in by_track(spans).items():
        open_spans, leaf_end = [], None
        for s in track:
            kind, time = s[0], s[1]
            if kind not in "BEX":
                continue
            if leaf_end is not None and time < leaf_end and not is_moment(s):
                out.append("inside a complete span of %s: %s" % (name, s))
            if kind == "X":
                leaf_end = s[4] if s[4] > time else leaf_end
            elif kind == "B":
                open_spans.append(s)
            elif not open_spans:
                out.append("an end without a begin on %s: %s" % (name, s))
            elif open_spans.pop()[3] != s[3]:
                out.append("an end that closes another span on %s: %s" % (name, s))
            if max_depth and len(open_spans) > max_depth:
                out.append("deeper than %d on %s: %s" % (max_depth, name, s))
        if open_spans:
            out.append("%d begins without an end on %s: %s" % (len(open_spans), name,
                                                              open_spans[-1]))
    return out


def unpaired(spans):
    """Our spans with each begin and end of a return from untraced code made one complete span."""
    out = []
    tracks = by_track(spans)
    for track in tracks.values():
        open_spans, made = [], []
        for s in track:
            if s[0] == "B":
                open_spans.append(len(made))
                made.append(s)
            elif s[0] == "E" and open_spans:
                begin = open_spans.pop()
                b = made[begin]
                if b[3] == UNTRACED and b[4] == (0, False):
                    made[begin] = ("X", b[1], b[2], UNTRACED, s[1])
                else:
                    made.append(s)
            else:
                made.append(s)
        out += made
    return out


def expected_nest(spans):
    """Whether the model's spans nest, its complete [unknown]s taken as begin and end."""
    for track in by_track(spans).values():
        stack = []              # (name, end or None)
        for s in track:
            kind, time = s[0], s[1]
            if kind not in "BEX":
                continue
            while stack and stack[-1][1] is not None and stack[-1][1] <= time:
                stack.pop()
            if any(end is not None and end < time for _, end in stack):
                return False
            if kind == "B":
                stack.append((s[3], None))
            elif kind == "X":
                stack.append((s[3], s[4])) if s[4] > time else None
            elif not stack or stack.pop()[0] != s[3]:
                return False
        if any(end is None for _, end in stack):
            return False
    return True


def unmarked(spans):
    """The model's spans with the plain mark of an inferred begin."""
    return [s[:4] + ((s[4][0], s[4][1] != ""),) if s[0] == "B" else s for s in spans]


def ordered_difference(want, got):
    """None, or the first difference of two lists of spans, track by track in order of time.

    Free begins (see free_begin) are only counted, as loose_difference does, and of what shares its
    time with one the order is not compared: the model lets what is found on a new stack enclose
    what ran on the one that it replaced. Nor is it where an inferred begin and another one share
    name and time: there the model's order is the wrong way round, and nests only by the name.
    """
    got = unpaired(got)
    diff = loose_difference(want, got)
    if diff:
        return diff
    free = {place_of(s) for s in want if free_begin(s)}
    times = {(s[2], s[1]) for s in want if free_begin(s)}
    inferred = {s[1:4] for s in want if s[0] == "B" and s[4][1]}
    times |= {(s[2], s[1]) for s in want if s[0] == "B" and not s[4][1] and s[1:4] in inferred}
    w, g = (by_track([s for s in spans if place_of(s) not in free]) for spans in (want, got))
    for name in sorted(set(w) | set(g)):
        a, b = (sorted_at(t.get(name, []), times) for t in (unmarked_tracks(w), g))
        for i in range(max(len(a), len(b))):
            x = a[i] if i < len(a) else None
            y = b[i] if i < len(b) else None
            if x != y:
                return "track %s, span %d: expected %s, got %s" % (name, i, x, y)
    return None


def place_of(s):
    """What free begins of one place have in common: theirs cannot be told apart."""
    if s[0] == "B" and s[4][1]:
        return s[0], s[2], s[3], s[4][0]
    return (s[0], s[2], s[3]) if free_begin(s) else None


def unmarked_tracks(tracks):
    return {name: unmarked(t) for name, t in tracks.items()}


def sorted_at(track, times):
    """The track with what happens at one of the times in an order of its own."""
    return sorted(track, key=lambda s: (s[1], str(s) if (s[2], s[1]) in times else ""))


def free_begin(s):
    """Whether the model may say too early a begin for s: see loose_difference."""
    return s[0] == "B" and s[4][1] == "free" or s[0] == "X" and s[3] == UNTRACED


def loose_difference(want, got):
    """As ordered_difference, for a model whose spans do not nest.

    The same spans at the same times, in any order; but the model's inferred begins on a stack
    in front of or in place of another, and its [unknown]s, may claim to begin before that one was
    left: ours begin no earlier.
    """
    fixed = collections.Counter(unmarked([s for s in want if not free_begin(s)]))
    free = collections.Counter()
    early = collections.defaultdict(list)
    for s in want:
        if free_begin(s):
            key = (s[0], s[2], s[3], s[4] if s[0] == "X" else (s[4][0], True))
            early[key].append(s[1])
    for s in got:
        if fixed[s] > 0:
            fixed[s] -= 1
        else:
            free[s] += 1
    late = collections.defaultdict(list)
    for s in free.elements():
        late[(s[0], s[2], s[3], s[4])].append(s[1])
    missing = +fixed
    # An inferred begin at the very time of a fixed one of the same name may have been taken for it.
    if missing:
        return "expected %s" % (next(iter(missing)),)
    for key in sorted(set(early) | set(late), key=str):
        a, b = sorted(early[key]), sorted(late[key])
        if len(a) != len(b) or any(x > y for x, y in zip(a, b)):
            return "%s: expected begins not before %s, got %s" % (key, a, b)
    return None
