#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions compiled at run time keep their names when the program and its map are gone.

tests/e2e/targets/jit.c has one such function, called by main all the time, and tells perf of it in
a map or in a jitdump.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402

BUILD = harness.build_dir()
NAME = "compiled at run time"


def names(work, directory):
    out = os.path.join(work, "trace.fxt")
    ended = harness.program(BUILD, "decode", "-working-directory", directory, "-o", out)
    if ended.status != 0:
        return set(), ["decode: %s: %s" % (ended.status, ended.stderr)]
    return {e.name for e in fxt.read(out)}, []


def recorded(work, pid, directory):
    ended = harness.program(BUILD, "attach", "-sampling", "-callgraph-mode", "fp", "-p", str(pid),
                            "-duration", "0.5", "-working-directory", directory, "-o",
                            os.path.join(work, "first.fxt"))
    return [] if ended.status == 0 else ["attach: %s: %s" % (ended.status, ended.stderr)]


def kept(work, program):
    directory = os.path.join(work, "dir")
    with subprocess.Popen([program], stdout=subprocess.PIPE) as process:
        shown = "/tmp/perf-%d.map" % process.pid
        try:
            process.stdout.readline()
            faults = recorded(work, process.pid, directory)
        finally:
            process.kill()
            os.unlink(shown)
    found, more = names(work, directory)
    faults += more
    if NAME not in found:
        faults.append("its name is not in %s" % sorted(found))
    copy = os.path.join(directory, "recording-%d.map" % process.pid)
    os.rename(copy, os.path.join(directory, "perf-%d.map" % process.pid))
    found, more = names(work, directory)
    if NAME not in found:
        faults.append("as perf-PID.map: not in %s" % sorted(found))
    return faults + more


def dumped(work, program):
    """The functions of a jitdump, where it lies and beside the recording."""
    directory, dumps = os.path.join(work, "dumped"), os.path.join(work, "dumps")
    os.mkdir(dumps)
    with subprocess.Popen([program, dumps], stdout=subprocess.PIPE) as process:
        dump = os.path.join(dumps, "jit-%d.dump" % process.pid)
        try:
            process.stdout.readline()
            faults = recorded(work, process.pid, directory)
        finally:
            process.kill()
    found, more = names(work, directory)
    if NAME not in found:
        faults.append("its name is not in %s" % sorted(found))
    kept = os.path.join(directory, os.path.basename(dump))
    os.rename(dump, kept)
    found, again = names(work, directory)
    if NAME not in found:
        faults.append("beside the recording: not in %s" % sorted(found))
    os.unlink(kept)
    found, last = names(work, directory)
    if NAME in found:
        faults.append("without the dump it is known as well: this tests nothing")
    return faults + more + again + last


def removed(work, program):
    """The map of an earlier recording goes with it; other files of such names stay."""
    directory = os.path.join(work, "dir")
    for name in ("recording-1.map", "recording-x.map", "perf-1.map"):
        with open(os.path.join(directory, name), "w", encoding="ascii"):
            pass
    with subprocess.Popen([program], stdout=subprocess.PIPE) as process:
        try:
            process.stdout.readline()
            faults = recorded(work, process.pid, directory)
        finally:
            process.kill()
            os.unlink("/tmp/perf-%d.map" % process.pid)
    there = os.listdir(directory)
    if "recording-1.map" in there or not {"recording-x.map", "perf-1.map"} <= set(there):
        faults.append("there is %s" % there)
    return faults


def cannot_sample(work):
    if not all(map(shutil.which, ("gcc", "perf"))):
        return "perf or gcc is not installed"
    p = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock:u", "-o",
                        os.path.join(work, "probe"), "true"], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False)
    return "perf cannot record: " + p.stdout.decode() if p.returncode else None


def main():
    report = harness.Report("e2e/jit")
    with tempfile.TemporaryDirectory(prefix="magic-trace-") as work:
        why = cannot_sample(work)
        if why:
            report.skip("all", why.replace("\n", " "))
            report.exit()
        program = harness.compile_target(work, "jit.c")
        for test in (kept, dumped, removed):
            report.check(test.__name__, test(work, program))
    report.exit()


if __name__ == "__main__":
    main()
