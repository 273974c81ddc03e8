#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Wrong command lines: exit status 2 and what is wrong; and those that only ask."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import lines                    # noqa: E402

WRONG = [                       # arguments, a word that must be on standard error
    ([], ""),
    (["decoed"], "decode"),
    (["decode"], "-working-directory"),
    (["decode", "-outptu", "x.fxt", "text"], "-output"),
    (["decode", "-o"], "-o"),
    (["decode", "text", "other"], "other"),
    (["decode", "text", "-o", "trace.txt"], ".fxt"),
    (["decode", "text", "-o", "trace.sexp"], "sexp"),
    (["decode", "-"], "a file or a directory"),
    (["decode", "/dev/stdin"], "a file or a directory"),
    (["decode", "text", "-max-depth", "many"], "many"),
    (["decode", "text", "-max-depth", "0"], "0"),
    (["decode", "text", "-max-depth", "-1"], "-1"),
    (["decode", "text", "-max-depth", "99999999999999999999"], "9999"),
    (["decode", "text", "-filter", "(a"], "filter"),
    (["decode", "text", "-filter", "(a b c)"], "filter"),
    (["decode", "text", "-filter", ""], "filter"),
    (["decode", "text", "-trace-include-kernel", "-trace-kernel-only"], "kernel"),
    (["decode", "text", "-callgraph-mode", "nonsense"], "nonsense"),
    (["decode", "text", "-sampling=maybe"], "sampling"),
    (["decode", "text", "-working-directory", "."], "text"),
    (["run", "-software", "-sampling", "text"], "leave one"),
    (["run", "-software", "-backend", "pt", "text"], "leave one"),
    (["run", "-software", "-backend", "sampling", "text"], "leave one"),
    (["run", "-backend", "nonsense", "text"], "software"),
    (["run", "-software-engine", "step", "text"], "add -software"),
    (["run", "-sampling", "-software-time", "real", "text"], "add -software"),
    (["run", "-follow-fork", "text"], "add -software"),
    (["run", "-software", "-software-engine", "nonsense", "text"], "step"),
    (["run", "-software", "-software-time", "nonsense", "text"], "instructions"),
    (["run", "-software", "-software-engine", "qemu", "-follow-fork", "text"],
     "takes -software-engine step"),
    (["run", "-software", "-trace-include-kernel", "text"], "-sampling does"),
    (["run", "-software", "-trace-kernel-only", "text"], "-sampling does"),
    (["run", "-software", "-events", "cache-misses", "text"], "leave one"),
    (["run", "-software", "-callgraph-mode", "fp", "text"], "leave it out"),
    (["run", "-software", "-timer-resolution", "High", "text"], "-software-time"),
    (["run", "-software", "-multi-snapshot", "-full-execution", "text"], "everything is recorded"),
    (["attach", "-software", "-software-engine", "qemu", "-pid", "1"], "-software-engine step"),
    (["attach", "-software", "-pid", "1,2"], "-follow-fork"),
    (["decode", "text", "-software"], "-software"),
    (["version", "-sampling"], "sampling"),
]
ASKING = [                      # arguments, words that must be on standard output
    (["version"], ["\n"]),
    (["help"], ["decode"]),
    (["help", "decode"], ["-working-directory", "-filter"]),
    (["help", "run"], ["-software", "-software-engine", "-software-time", "-follow-fork",
                       "-backend"]),
    (["help", "attach"], ["-software", "-software-time", "-follow-fork", "-backend"]),
    (["-help"], ["decode"]),
    (["--help"], ["decode"]),
    (["decode", "-help"], ["-working-directory", "-output"]),
    (["decode", "text", "--help"], ["-output"]),
]
SPELLINGS = [["-output", "t.fxt", "text"], ["--output", "t.fxt", "text"], ["text", "-output=t.fxt"],
             ["--output=t.fxt", "text"], ["-o", "t.fxt", "text"], ["-o=t.fxt", "--", "text"]]


def main():
    report = harness.Report("e2e/usage")
    build = harness.build_dir()
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "text"), "w", encoding="utf-8") as f:
            f.write(lines.good())
        for args, word in WRONG:
            ended = harness.program(build, *args, env=harness.REPLAY, cwd=work)
            faults = [] if ended.status == 2 else ["exit status %s" % ended.status]
            if word not in ended.stderr or not ended.stderr:
                faults.append("standard error: " + ended.stderr)
            if os.listdir(work) != ["text"]:
                faults.append("left behind: %s" % os.listdir(work))
            report.check(" ".join(["magic-trace"] + args), faults)
        for args, words in ASKING:
            ended = harness.program(build, *args, env=harness.REPLAY, cwd=work)
            faults = [] if ended.status == 0 else ["exit status %s: %s" % (ended.status,
                                                                          ended.stderr)]
            faults += ["%r is not said" % w for w in words if w not in ended.stdout]
            report.check(" ".join(["magic-trace"] + args), faults)
        for args in SPELLINGS:
            ended = harness.program(build, "decode", *args, env=harness.REPLAY, cwd=work)
            faults = [] if ended.status == 0 else [ended.stderr]
            if sorted(os.listdir(work)) != ["t.fxt", "text"]:
                faults.append("files: %s" % os.listdir(work))
            report.check(" ".join(["magic-trace decode"] + args), faults)
            for name in os.listdir(work):
                if name != "text":
                    os.unlink(os.path.join(work, name))
    report.exit()


if __name__ == "__main__":
    main()
