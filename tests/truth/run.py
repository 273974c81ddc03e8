#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stacks of the programs in progs/, decoded, against the true ones.

usage: run.py [BUILD [NAME...]]

Each is recorded once, by stepping. Of the spans in main and in what threads execute, recall,
precision, nesting and shape (score.py) have to reach the bar in bars.txt; the true spans have to be
what the program's source says (expect.py). With MT_LONG=1 also with shared libraries at -O1 and
-O2, and programs of the system, whole; and when ../shared is there, the figures have to be those of
the tool there, to three digits.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import expect                   # noqa: E402
import harness                  # noqa: E402
import measure                  # noqa: E402
import other                    # noqa: E402
import programs                 # noqa: E402
import score                    # noqa: E402
from softtrace import cannot_test   # noqa: E402

WITHIN = score.pattern("^(main|work)$")


def read_bars():
    """Figures by name."""
    bars = {}
    with open(os.path.join(HERE, "bars.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, *figures = line.split()
                bars[name] = score.Figures(*map(float, figures))
    return bars


def below(name, figures, bar):
    """Figures, rounded as they are shown, that do not reach the bar."""
    if not bar:
        return ["%s has no bar in bars.txt" % name]
    return ["%s is %.3f: the bar is %.3f" % (field, got, want)
            for field, got, want in zip(figures._fields, figures, bar) if round(got, 3) < want]


def run_one(build, work, form, bar):
    """A line to be shown; what is wrong; what the tool in ../shared says otherwise."""
    recording = measure.Recording(build, os.path.join(work, form.name))
    program = programs.build(form, recording.directory)
    quick = form in programs.quick_forms()
    # one that executes another has that one's start-up in any case: main is to be as deep in both
    late = ("-i",) if quick and form.name != "exec" else ()
    printed = recording.record([program, *(() if quick else form.program.arguments)],
                               "-t", "instructions", *late)
    faults = []
    if form.program.prints not in (None, printed):
        faults.append("it printed %r" % printed)
    true = score.load(recording.path("true.spans"))
    faults += expect.faults(expect.expectations(programs.source(form)), true)
    recording.decode()
    total = score.total(recording.compare(WITHIN))
    faults += below(form.name, score.figures(total), bar)
    differences = []
    if harness.LONG and other.is_there():
        differences = ["%s: %s" % (form.name, d)
                       for d in other.differences(recording, WITHIN.pattern, total)]
    return score.line(form.name, total), faults, differences


def run_whole(build, work, name, bar):
    """As run_one, a program of the system's, with its start-up."""
    program = programs.WHOLE[name]
    recording = measure.Recording(build, os.path.join(work, name))
    recording.record([shutil.which(program[0]), *program[1:]], "-t", "instructions")
    recording.decode()
    total = score.total(recording.compare())
    return score.line(name, total), below(name, score.figures(total), bar), []


class CpuOfThread:
    """A CPU for each thread of ours, and what it starts: two steppers on one would have half of it
    each."""

    def __init__(self):
        self.free = sorted(os.sched_getaffinity(0))
        self.local = threading.local()

    def take(self):
        """The calling thread keeps to one from now on."""
        if not hasattr(self.local, "cpu"):
            self.local.cpu = self.free.pop()
            os.sched_setaffinity(0, {self.local.cpu})


def cannot_run(build):
    why = cannot_test(build)
    libc = subprocess.run(["gcc", "-print-file-name=libc.a"], stdout=subprocess.PIPE, text=True,
                          check=False).stdout.strip() if shutil.which("gcc") else ""
    return why or (None if os.path.isabs(libc) else "there is no libc.a")


def main():
    report, build = harness.Report("truth"), harness.build_dir()
    why = cannot_run(build)
    if why:
        report.skip("all", why)
        report.exit()
    forms = programs.quick_forms() + (programs.long_forms() if harness.LONG else [])
    chosen, bars, shown, differences = sys.argv[2:], read_bars(), [], []
    workers, cpus = len(os.sched_getaffinity(0)), CpuOfThread()

    def run(work, form):
        cpus.take()
        measured = run_whole if form in programs.WHOLE else run_one
        name = form if form in programs.WHOLE else form.name
        line, faults, others = measured(build, work, form, bars.get(name))
        shown.append(line)
        differences.extend(others)
        return faults

    named = [(form.name, form) for form in forms]
    if harness.LONG:
        named += [(name, name) for name, program in programs.WHOLE.items()
                  if shutil.which(program[0])]
    with tempfile.TemporaryDirectory() as work:
        harness.check_all(report, [(name, run, work, form) for name, form in named
                                   if not chosen or name in chosen], workers)
    if harness.LONG and other.is_there():
        report.check("the tool in ../shared", differences)
    elif harness.LONG:
        report.skip("the tool in ../shared", "it is not there")
    print("%-10s %8s %8s %8s %9s %8s %8s" % ("", "true", "reported", *score.Figures._fields))
    print("\n".join(sorted(shown)))
    report.exit()


if __name__ == "__main__":
    main()
