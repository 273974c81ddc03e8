# SPDX-License-Identifier: MIT
"""The same measure by a tool that others have written, when ../shared is there."""
import os
import re
import subprocess
import sys

import harness
import score
import tree

TOOL = os.path.join(harness.SHARED, "tools", "truth")

# How it calls what stacklog.h calls otherwise.
KINDS = {"call": "c", "icall": "k", "next": "n", "jmp": "j", "ijmp": "i", "jcc": "b",
         "return": "r", "iret": "I", "resume": "s", "handler": "H", "syscall": "S",
         "altstack": "a", "stack": "V", "exec": "X", "end": "E"}


def is_there():
    return os.path.isdir(TOOL)


def translate(log, out):
    """Its log from ours. It has another line for the first instruction of a handler, and takes a
    place where nothing was executed before a handler for a function."""
    with open(log, encoding="ascii") as f, open(out, "w", encoding="ascii") as g:
        lines = f.read().splitlines()
        for line, following in zip(lines, lines[1:] + [""]):
            thread, kind, *rest = line.split()
            if kind == "resume" and following.split()[:2] in ([thread, "handler"],
                                                              [thread, "resume"]):
                continue
            g.write(" ".join((thread, KINDS[kind], *rest)) + "\n")
            if kind == "handler":
                g.write(" ".join((thread, KINDS["resume"], *rest)) + "\n")


# How perf writes a place: a name, and how far on in it.
PLACE = re.compile(r"(?<= )(\S.*?)(\+0x[0-9a-f]+ \()")


def rename(text, out):
    """The text of perf, with functions called as in the trace."""
    with open(text, encoding="utf-8", errors="surrogateescape") as f, \
            open(out, "w", encoding="utf-8", errors="surrogateescape") as g:
        for line in f:
            g.write(PLACE.sub(lambda m: tree.shown_name(m[1]) + m[2], line))


def run(*argv):
    env = dict(os.environ, FXTDUMP=os.path.join(harness.TOOLS, "fxtdump.py"),
               PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run([sys.executable, *argv], stdout=subprocess.PIPE, text=True, check=True,
                          env=env).stdout


def measured(recording, within):
    """[true, reported, recall, precision, nesting, shape] as the tool says."""
    log, spans = recording.path("other.log"), recording.path("other.spans")
    text = recording.path("other.txt")
    translate(recording.path("stacks.log"), log)
    rename(recording.path("perf.txt"), text)
    with open(spans, "w", encoding="utf-8") as f:
        f.write(run(os.path.join(TOOL, "truth.py"), log, text))
    return run(os.path.join(TOOL, "score.py"), "--tsv", "--within", within, spans,
               recording.path("trace.fxt")).split()


def differences(recording, within, counts):
    """What the tool finds otherwise: counts of spans, and figures to three digits."""
    got = measured(recording, within)
    faults = []
    if [int(n) for n in got[:2]] != [counts.true, counts.reported]:
        faults.append("the tool in ../shared counts %s true spans, %s reported; we %d, %d" %
                      (*got[:2], counts.true, counts.reported))
    ours = score.figures(counts)
    faults += ["%s is %.4f, and %s by the tool in ../shared" % (field, mine, theirs)
               for field, mine, theirs in zip(ours._fields, ours, got[2:])
               if abs(mine - float(theirs)) >= 0.0005]
    return faults
