#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records a program by stepping it, and says how near the trace's stacks are to the true ones.

usage: measure.py [-b BUILD] [-w REGEX] DIR [SOFTSTEP_OPTION...] -- PROGRAM [ARGUMENT...]
       measure.py [-b BUILD] [-w REGEX] -a DIR       decodes and scores again what is in DIR

In DIR afterwards: perf.data, stacks.log (softstep -k), perf.txt (perf script), true.spans,
trace.fxt. BUILD: the build directory (build). -w: only what lies in functions with such a name, as
score.py --within; that start-up counts, which is easy, makes figures look better than they are.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import score                    # noqa: E402
import truth                    # noqa: E402

# What decode asks perf for.
FIELDS = "pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period"


class Failed(Exception):
    """Something that has to be done before anything can be measured cannot."""


class Recording:
    """A directory with what was recorded of a program, and what is made of it."""

    def __init__(self, build, directory):
        self.build, self.directory = build, directory
        os.makedirs(directory, exist_ok=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def step(self, program, *options, timeout=600):
        """Steps it, and has perf decode that; what it prints."""
        step = os.path.join(self.build, "tests", "tools", "softstep")
        ended = subprocess.run([step, "-o", self.path("perf.data"), "-k", self.path("stacks.log"),
                                *options, "--", *program], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               timeout=timeout, check=False)
        if ended.returncode:
            raise Failed("status %d of %s: %s" % (ended.returncode, program, ended.stderr))
        with open(self.path("perf.txt"), "wb") as text:
            perf = subprocess.run(["perf", "script", "-i", self.path("perf.data"), "--ns",
                                   "--itrace=bep", "-F", FIELDS], stdout=text,
                                  stderr=subprocess.PIPE, check=False)
        if perf.returncode:
            raise Failed("perf script: " + perf.stderr.decode("utf-8", "replace"))
        return ended.stdout

    def record(self, program, *options, timeout=600):
        """As step, and builds the true stacks."""
        printed = self.step(program, *options, timeout=timeout)
        with open(self.path("true.spans"), "w", encoding="utf-8") as out:
            truth.write_spans(truth.true_spans(self.path("stacks.log"), self.path("perf.txt")),
                              out)
        return printed

    def decode(self, *options):
        """Makes the trace, of perf's text, in another directory, where that is the recording."""
        os.makedirs(self.path("text"), exist_ok=True)
        data = self.path("text/perf.data")
        if not os.path.lexists(data):
            os.symlink("../perf.txt", data)
        ended = harness.decode(self.build, self.path("text"), "-max-depth", "none", *options,
                               output="../trace.fxt")
        if ended.status:
            raise Failed("decode: status %s: %s" % (ended.status, ended.stderr))

    def compare(self, within=None):
        return score.compare(score.load(self.path("true.spans")),
                             score.load(self.path("trace.fxt")), within)


def arguments(argv):
    """build, within, again, directory, options, program."""
    build, within, again, words = "build", None, False, list(argv)
    while words and words[0] in ("-a", "-b", "-w"):
        flag = words.pop(0)
        again = again or flag == "-a"
        if flag == "-b":
            build = words.pop(0)
        elif flag == "-w":
            within = words.pop(0)
    split = words.index("--") if "--" in words else len(words)
    directory, program = words[:1], words[split + 1:]
    if not directory or again == bool(program):
        sys.exit(__doc__)
    return os.path.abspath(build), within, again, directory[0], words[1:split], program


def main():
    build, within, again, directory, options, program = arguments(sys.argv[1:])
    recording = Recording(build, directory)
    try:
        if not again:
            sys.stdout.write(recording.record(program, *options))
        recording.decode()
    except Failed as why:
        sys.exit("measure.py: %s" % why)
    score.print_table(recording.compare(score.pattern(within)))


if __name__ == "__main__":
    main()
