#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of truth.py, score.py and expect.py on cases made by hand, with results worked out."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import expect                   # noqa: E402
import harness                  # noqa: E402
import score                    # noqa: E402
import tree                     # noqa: E402
import truth                    # noqa: E402

# Addresses 0x1000 to 0x1fff are main's, and so on. f@plt and f are in different files.
FUNCTIONS = {0x1000: ("main", "a"), 0x2000: ("f", "a"), 0x3000: ("g", "a"), 0x4000: ("h", "a"),
             0x5000: ("restore", "c"), 0x6000: ("p", "a"), 0x7000: ("p", "c")}

# Name; the log without threads, and without times, which are 0, 10, 20 ..., if none is given; the
# spans: depth, start, end, name.
TRUTHS = [
    ("call and return", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        call 2000 3000 7f0
        return 3001 2001 7f8
        return 2002 1001 800
        end 0 0 0""",
     [(0, 10, 50, "main"), (1, 20, 50, "f"), (2, 30, 40, "g")]),
    ("a call of what is behind it", """
        stack 700 900 800
        resume 0 1000 800
        next 1000 1005 7f8
        call 1006 2000 7f0
        return 2001 100b 7f8""",
     [(0, 10, 40, "main"), (1, 30, 40, "f")]),
    ("a call in the place of the caller", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        call 2001 3000 7f8
        return 3001 1006 800""",
     [(0, 10, 40, "main"), (1, 20, 30, "f"), (1, 30, 40, "g")]),
    ("tail call", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        jmp 2001 3000 7f8
        return 3001 1005 800""",
     [(0, 10, 40, "main"), (1, 20, 30, "f"), (1, 30, 40, "g")]),
    ("longjmp", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        call 2000 3000 7e8
        icall 3000 4000 7d8
        ijmp 4001 2005 7f0
        return 2006 1005 800""",
     [(0, 10, 60, "main"), (1, 20, 60, "f"), (2, 30, 50, "g"), (3, 40, 50, "h")]),
    ("signal", """
        stack 500 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        handler 0 3000 6f8
        call 3000 4000 6e8
        return 4001 3005 6f0
        return 3006 5000 700
        syscall 5002 f 0
        resume 0 2001 7f8
        return 2002 1005 800""",
     [(0, 10, 90, "main"), (1, 20, 90, "f"), (2, 30, 60, "g"), (3, 40, 50, "h"),
      (2, 60, 70, "restore")]),
    ("signal on another stack, left by longjmp", """
        stack 500 900 800
        altstack 100 200 0
        resume 0 1000 800
        call 1000 2000 7f8
        handler 0 3000 180
        call 3000 4000 170
        ijmp 4001 1010 800
        call 1010 4000 7f8
        handler 0 3000 180""",
     [(0, 20, 80, "main"), (1, 30, 60, "f"), (2, 40, 60, "g"), (3, 50, 60, "h"),
      (1, 70, 80, "h"), (2, 80, 80, "g")]),
    ("fiber, resumed", """
        stack 7000 9000 8000
        resume 0 1000 8000
        call 1000 2000 7ff8
        stack 1000 2000 1800
        return 2001 3000 1800
        call 3000 4000 17f8
        stack 7000 9000 8000
        return 4001 1005 8000
        call 1006 2000 7ff8
        stack 1000 2000 1800
        return 2001 4005 17f8
        return 4006 3005 1800""",
     [(0, 10, 110, "main"), (1, 20, 70, "f"), (2, 40, 70, "g"), (3, 50, 70, "h"),
      (1, 80, 110, "f"), (2, 100, 110, "g"), (3, 100, 110, "h")]),
    ("fiber in the same mapping", """
        stack 10000 90000 80000
        resume 0 1000 80000
        call 1000 2000 7fff8
        return 2001 3000 40000
        call 3000 4000 3fff8
        return 4001 1005 80000""",
     [(0, 10, 50, "main"), (1, 20, 50, "f"), (2, 30, 50, "g"), (3, 40, 50, "h")]),
    ("fiber further up in the same mapping", """
        stack 10000 90000 40000
        resume 0 1000 40000
        call 1000 2000 3fff8
        return 2001 3000 80000
        call 3000 4000 7fff8
        return 4001 1005 40000""",
     [(0, 10, 50, "main"), (1, 20, 50, "f"), (2, 30, 50, "g"), (3, 40, 50, "h")]),
    ("a fiber that is gone back to by a call", """
        stack 10000 90000 80000
        resume 0 1000 80000
        call 1000 2000 7fff8
        return 2001 3000 40000
        return 3001 1005 80000
        call 1006 4000 3fff0""",
     [(0, 10, 50, "main"), (1, 20, 40, "f"), (2, 30, 40, "g"), (1, 50, 50, "g"),
      (2, 50, 50, "h")]),
    ("signal on a part of the same mapping", """
        stack 500 900 800
        altstack 850 8f0 0
        resume 0 1000 800
        call 1000 2000 7f8
        handler 0 3000 8a0
        return 3001 5000 8a8
        syscall 5002 f 0
        resume 0 2001 7f8""",
     [(0, 20, 70, "main"), (1, 30, 70, "f"), (2, 40, 50, "g"), (2, 50, 60, "restore")]),
    ("a large frame is no fiber", """
        stack 10000 90000 80000
        resume 0 1000 80000
        call 1000 2000 7fff8
        call 2001 3000 40000
        return 3001 2006 40008
        return 2007 1005 80000""",
     [(0, 10, 50, "main"), (1, 20, 50, "f"), (2, 30, 40, "g")]),
    ("exec", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 2000 7f8
        syscall 2002 3b 0
        exec 0 0 0
        stack 700 900 7a0
        resume 0 1000 7a0
        call 1000 3000 798""",
     [(0, 10, 40, "main"), (1, 20, 40, "f"), (0, 60, 70, "main"), (1, 70, 70, "g")]),
    ("nobody knows the function", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 f000 7f8
        call f005 2000 7f0
        return 2001 f00a 7f8
        return f00b 1005 800""",
     [(0, 10, 50, "main"), (1, 20, 50, "[unknown @ 0xf000 ()]"), (2, 30, 40, "f")]),
    ("a slot of the PLT with the function's name", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 6000 7f8 20
        ijmp 6004 7000 7f8 24
        return 7001 1005 800 40""",
     [(0, 10, 40, "main"), (1, 20, 40, "p")]),
    ("a function that jumps to another of its name", """
        stack 700 900 800
        resume 0 1000 800
        call 1000 6000 7f8 20
        ijmp 6004 7000 7f8 25
        return 7001 1005 800 40""",
     [(0, 10, 40, "main"), (1, 20, 25, "p"), (1, 25, 40, "p")]),
]


def text_of(functions):
    """What `perf script` prints that names these addresses, and all behind them that are used."""
    lines = []
    for base, (name, file) in functions.items():
        for offset in range(0, 0x20):
            lines.append("1/1 0.000000000: 1 branches:uH: jmp 0 [unknown] ([unknown]) => "
                         "%x %s+0x%x (%s)\n" % (base + offset, name, offset, file))
    return "".join(lines)


def spans_of(work, log):
    """What truth.py makes of a log of that form."""
    lines = [line.split() for line in log.strip().splitlines()]
    with open(os.path.join(work, "log"), "w", encoding="ascii") as f:
        for n, line in enumerate(lines):
            f.write("1 %s %s\n" % (" ".join(line[:4]), line[4] if len(line) > 4 else 10 * n))
    with open(os.path.join(work, "text"), "w", encoding="ascii") as f:
        f.write(text_of(FUNCTIONS))
    return [(s.depth, s.start, s.end, s.name) for s in
            truth.true_spans(os.path.join(work, "log"), os.path.join(work, "text"))]


def check_truth(work, log, want):
    got = spans_of(work, log)
    return [] if got == want else ["want %s" % want, "got  %s" % got]


def tree_of(*spans):
    """From (depth, start, end, name), parents first."""
    made, stack = tree.Tree(), []
    for depth, start, end, name in spans:
        del stack[depth:]
        stack.append(made.add(stack[-1] if stack else made.root, name, start, end))
    return made.finish()


TRUE = [(0, 0, 10000, "main"), (1, 1000, 4000, "f"), (2, 2000, 3000, "g"), (1, 5000, 6000, "g")]
# Name; the trace's spans; true, reported, found, right, nested, placed; what is within.
SCORES = [
    ("the same", TRUE, (4, 4, 4, 4, 4, 4), None),
    ("the tolerance", [(0, 0, 10150, "main"), (1, 1151, 4000, "f"), (2, 2000, 2850, "g"),
                       (1, 5000, 6000, "g")], (4, 4, 3, 3, 3, 4), None),
    ("one is missed", [TRUE[0], TRUE[1], TRUE[3]], (4, 3, 3, 3, 3, 3), None),
    ("one is too many", [*TRUE, (1, 7000, 8000, "h")], (4, 5, 4, 4, 4, 4), None),
    ("twice the same counts once", [*TRUE, (1, 5000, 6000, "g")], (4, 5, 4, 4, 4, 4), None),
    ("another caller", [TRUE[0], (1, 1000, 4000, "h"), TRUE[2], TRUE[3]], (4, 4, 3, 3, 2, 2), None),
    ("not popped", [TRUE[0], TRUE[1], TRUE[2], (2, 5000, 6000, "g")], (4, 4, 3, 3, 3, 3), None),
    ("all one deeper", [(0, 0, 10000, "outer")] + [(d + 1, s, e, n) for d, s, e, n in TRUE],
     (4, 5, 4, 4, 4, 4), None),
    ("no frames", [TRUE[0], (1, 500, 4000, "[syscall]"), (2, 1000, 4000, "f"),
                   (3, 2000, 3000, "[unknown @ 0x12 (x)]"), (4, 2000, 3000, "g"),
                   (5, 2100, 2900, "[lost: 800 ns]"), TRUE[3]],
     (4, 4, 4, 4, 4, 4), None),
    ("within f", [TRUE[0], TRUE[1], TRUE[3]], (2, 1, 1, 1, 1, 1), "^f$"),
    ("nothing", [], (4, 0, 0, 0, 0, 0), None),
]


def check_score(got, want, within):
    counts = score.Comparison(tree_of(*TRUE), tree_of(*got), score.pattern(within)).counts()
    return [] if counts == want else ["%s: %s" % (counts, want)]


def check_lost():
    """Lost from 20 to 40: what begins or ends then counts on neither side."""
    true = tree_of((0, 0, 100, "main"), (1, 10, 30, "f"), (1, 50, 60, "g"))
    got = tree_of((0, 0, 100, "main"), (1, 10, 39, "other"), (1, 50, 60, "g"))
    counts = score.Comparison(true, got, tolerance=1, lost=[(20, 40)]).counts()
    want = score.Counts(2, 2, 2, 2, 2, 2)
    return [] if counts == want else ["%s, not %s" % (counts, want)]


def check_taken():
    """Of two true spans that one in the trace would do for, one is found."""
    counts = score.Comparison(tree_of((0, 0, 50, "f"), (0, 60, 110, "f")),
                              tree_of((0, 0, 50, "f"))).counts()
    return [] if counts == (2, 1, 1, 1, 1, 1) else [str(counts)]


def check_figures():
    """Shares of what there is: of 4 true and 5 reported."""
    counts = score.Counts(4, 5, 3, 2, 1, 4)
    got = score.figures(counts)
    return [] if got == (0.75, 0.4, 0.25, 1) else [str(got)]


def check_expect(work):
    """Each thing that can be wrong with true spans is found."""
    source = os.path.join(work, "x.c")
    with open(source, "w", encoding="ascii") as f:
        f.write("/* SPDX */\n/*\n * What.\n *\n * Spans:\n *\tf\t1\tmain\n *\tg\t*\tf main\n"
                " *\th\t1\t*\n */\n")
    expected = expect.expectations(source)
    good = [(0, 0, 9, "main"), (1, 1, 5, "f"), (2, 2, 3, "g"), (1, 6, 7, "h.cold"),
            (1, 7, 8, "h")]
    faults = ["%s" % f for f in expect.faults(expected, {"1": tree_of(*good)})]
    bad = {"f twice": good + [(1, 8, 9, "f")], "f by h": good[:-1] + [(2, 7, 7, "f")],
           "no h": good[:-2], "g by h": good + [(2, 7, 8, "g")],
           "not within": good[:2] + [(2, 2, 6, "g")] + good[3:],
           "main twice": good + [(1, 8, 9, "main")]}
    faults += ["%s is not found" % name for name, spans in bad.items()
               if not expect.faults(expected, {"1": tree_of(*spans)})]
    return faults


def main():
    report = harness.Report("truth/rules")
    with tempfile.TemporaryDirectory() as work:
        for name, log, want in TRUTHS:
            report.check(name, harness.faults_of(check_truth, work, log, want))
        for name, got, want, within in SCORES:
            report.check("score: " + name, harness.faults_of(check_score, got, want, within))
        report.check("score: lost", harness.faults_of(check_lost))
        report.check("score: taken", harness.faults_of(check_taken))
        report.check("figures", harness.faults_of(check_figures))
        report.check("expect", harness.faults_of(check_expect, work))
    report.exit()


if __name__ == "__main__":
    main()
