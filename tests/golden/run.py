#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cases of this directory: a text of perf script, and the spans that must come of it.

NAME/in.txt (or in.1.txt, in.2.txt ... for several data files): hand-made, a few lines each.
NAME/want.spans: worked out by hand from the rules, never copied from a result. exception*, fiber*,
longjmp*, retpoline and signal* are cut from recordings of programs that were stepped, each branch with
its own time; their spans are those of a stack kept by the stack pointer. One line a span:
    PID/TID DEPTH START LENGTH "NAME" [inferred]
and the arguments of what is no call; see shown() in ../tools/fxt.py. The comment says what it is.
NAME/recording.json: if the case needs one.
NAME/opts: lines of flags (they begin with -), "status N", "stderr REGEX" (all must be found).
random/: kept cases of ../diff/streams.py; see ../diff/keep.py.

usage: run.py [BUILD [NAME...]]
"""
import os
import re
import shlex
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools"), os.path.join(HERE, "..", "diff")]
import harness                  # noqa: E402
import fxt                      # noqa: E402
import cases                    # noqa: E402
import compare                  # noqa: E402
import keep                     # noqa: E402


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


class Options:
    """What a case's opts file says."""

    def __init__(self, directory):
        self.args, self.status, self.stderr = [], 0, []
        path = os.path.join(directory, "opts")
        for line in read(path).splitlines() if os.path.exists(path) else []:
            word, _, rest = line.partition(" ")
            if line.startswith("-"):
                self.args += shlex.split(line)
            elif word == "status":
                self.status = int(rest)
            elif word == "stderr":
                self.stderr.append(rest)
            else:
                raise ValueError("%s: %s" % (path, line))


def set_up(directory, work):
    """The case's texts as a recording."""
    texts = sorted(f for f in os.listdir(directory) if f.startswith("in"))
    for n, name in enumerate(texts):
        data = "perf.data" + (".202401010000000%d" % n if len(texts) > 1 else "")
        shutil.copy(os.path.join(directory, name), os.path.join(work, data))
    json = os.path.join(directory, "recording.json")
    if os.path.exists(json):
        shutil.copy(json, work)


def run_golden(build, name):
    """A list of faults."""
    directory = os.path.join(HERE, name)
    opts = Options(directory)
    with tempfile.TemporaryDirectory() as work:
        set_up(directory, work)
        run = harness.decode(build, work, *opts.args)
        faults = []
        if run.status != opts.status:
            faults.append("exit status %d, expected %d: %s" % (run.status, opts.status,
                                                               run.stderr[-1000:]))
        faults += ["stderr does not hold %r: %s" % (s, run.stderr) for s in opts.stderr
                   if not re.search(s, run.stderr)]
        got = fxt.shown(fxt.read(run.path)) if os.path.exists(run.path) else []
    want = [w for w in read(directory, "want.spans").splitlines() if w and not w.startswith("#")]
    faults += ["missing: " + w for w in want if w not in got]
    faults += ["not expected: " + g for g in got if g not in want]
    if not faults and sorted(got) != sorted(want):
        faults.append("a line that occurs twice")
    return faults


def run_random(build, report):
    kept = keep.load(os.path.join(HERE, "random", "cases.txt"))
    try:
        results = cases.run_cases(build, [case for case, _ in kept])
    except cases.DriverDied as e:
        report.fail("random", "%s: %s" % (e.case.label if e.case else "?", e.why))
        return
    faults = []
    for (case, want), result in zip(kept, results):
        bad = compare.faults(result.spans)
        diff = compare.ordered_difference(want, result.spans)
        faults += ["%s: %s" % (case.label, f) for f in bad[:2] + ([diff] if diff else [])]
    report.check("random (%d cases)" % len(kept), faults)


def main():
    report = harness.Report("golden")
    build = harness.build_dir()
    names = sys.argv[2:] or sorted(d for d in os.listdir(HERE)
                                   if os.path.exists(os.path.join(HERE, d, "want.spans")))
    for name in names:
        report.check(name, run_golden(build, name))
    if not sys.argv[2:]:
        run_random(build, report)
    report.exit()


if __name__ == "__main__":
    main()
