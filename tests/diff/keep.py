# SPDX-License-Identifier: MIT
"""Kept random cases with the model's spans: a file of our own, checked without ../shared.

The spans are the model's, never ours; only cases whose spans nest as the model gives them are kept,
as few as show every construct several times.

usage: python3 keep.py COUNT >../golden/random/cases.txt        (needs ../shared/tools/model)
"""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import cases                    # noqa: E402
import compare                  # noqa: E402

MAX_TEXT = 3500                 # bytes of a case's texts: the small ones tell as much
OPTIONS = ("scope", "max_depth", "chunk", "budget")
FLAGS = ("sampling", "skip_tx")


def dump_span(s):
    kind, time, track, name, detail = s
    if kind == "B":
        detail = "%x %s" % (detail[0], detail[1] or "-")
    elif isinstance(detail, tuple):
        detail = " ".join("-" if d is None else "%x" % d if i == 0 and kind == "S" else str(d)
                          for i, d in enumerate(detail))
    return "%s %d %s %s %s" % (kind, time, cases.escape(track), cases.escape(name),
                               "-" if detail is None else detail)


def parse_span(line):
    kind, time, track, name, *d = line.split(" ")
    if kind == "B":
        detail = (int(d[0], 16), "" if d[1] == "-" else d[1])
    elif kind == "S":
        detail = (int(d[0], 16), int(d[1]), d[2])
    elif kind == "H":
        detail = tuple(None if x == "-" else int(x) for x in d)
    else:
        detail = None if d[0] == "-" else int(d[0])
    return kind, int(time), cases.unescape(track), cases.unescape(name), detail


def dump(case, want):
    """A case and its spans as text."""
    out = ["case " + case.label]
    out += ["%s %s" % (o, getattr(case, o)) for o in OPTIONS if getattr(case, o)]
    out += [f for f in FLAGS if getattr(case, f)]
    if case.filter:
        out.append("filter " + " ".join(cases.escape(s) for s in case.filter))
    for word, addresses in (case.traps or {}).items():
        out.append(word + "".join(" %x" % a for a in addresses))
    for h in case.hits:
        out.append("hit %d %d %d %d %d %s" % h)
    for text in case.texts:
        out.append("text")
        out += ["|" + line for line in text.split("\n")]
    return "\n".join(out + ["spans"] + [dump_span(s) for s in want]) + "\n"


def load(path):
    """Pairs (case, spans)."""
    kept, case, want, texts = [], None, None, []
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    for line in lines:
        word, _, rest = line.partition(" ")
        if line.startswith("#"):
            continue
        if word == "case":
            case, want, texts = cases.Case([], label=rest, reference=True), None, []
        elif line == "text":
            texts.append([])
        elif line.startswith("|"):
            texts[-1].append(line[1:])
        elif line == "spans":
            case.texts, want = ["\n".join(t) for t in texts], []
            kept.append((case, want))
        elif want is not None:
            want.append(parse_span(line))
        else:
            load_option(case, word, rest)
    return kept


def load_option(case, word, rest):
    if word == "scope":
        case.scope = rest
    elif word in OPTIONS:
        setattr(case, word, int(rest))
    elif word in FLAGS:
        setattr(case, word, True)
    elif word == "filter":
        case.filter = tuple(cases.unescape(w) for w in rest.split(" "))
    elif word == "hit":
        *numbers, symbol = rest.split(" ")
        case.hits.append((*(int(n) for n in numbers), symbol))
    else:
        case.traps = case.traps or {"push": [], "pop": [], "enter": []}
        case.traps[word] = [int(a, 16) for a in rest.split()]


def squeezed(text):
    """The text with perf's columns made narrow."""
    return "\n".join(line if line[:1] in "\t " else
                     " ".join(line.replace("tr end  ", "tr end\0 ").split()).replace("\0", " ")
                     for line in text.split("\n"))


def choose(count):
    """Cases that nest, rare constructs first."""
    import expected
    import generate
    total, found = collections.Counter(), []
    for seed in range(100000, 100000 + 40 * count):
        case = generate.case(seed)
        case.texts = [squeezed(t) for t in case.texts]
        if sum(map(len, case.texts)) > MAX_TEXT:
            continue
        seen = collections.Counter()
        want, _ = expected.run(case, seen)
        if want and compare.expected_nest(want):
            found.append((case, want, seen))
            total.update(set(seen))
    have = collections.Counter()
    while found and count:
        best = max(found, key=lambda f: sum(1 / (1 + have[c]) / total[c] for c in f[2]))
        found.remove(best)
        have.update(set(best[2]))
        count -= 1
        yield best[0], best[1]


def main():
    sys.stdout.write("# Made by tests/diff/keep.py: random texts, and the spans that a slow model "
                     "of the rules gives.\n")
    for case, want in choose(int(sys.argv[1])):
        sys.stdout.write(dump(case, want))


if __name__ == "__main__":
    main()
