#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where the trace goes: suffixes, FILE.old, and what an interrupted decode leaves."""
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import lines                    # noqa: E402

GOOD = lines.good(2000)
# Prints for ever, and says in the file "pid" who it is.
ENDLESS = """#!/bin/sh
[ "$1" = script ] || { echo perf version 6.1.0; exit; }
%secho $$ >"$0.pid"
while :; do cat "$0.text" || exit 1; done
"""
SILENT = """#!/bin/sh
[ "$1" = script ] || { echo perf version 6.1.0; exit; }
%scat "$0.text"
echo $$ >"$0.pid"
while :; do sleep 1; done
"""
CLOSED = """#!/bin/sh
[ "$1" = script ] || { echo perf version 6.1.0; exit; }
%scat "$0.text"
exec >&-
echo $$ >"$0.pid"
exec sleep 60
"""
HANGS = 8                       # seconds; perf is given 10 to end when it has closed its output


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def suffixes(build, report):
    """The same trace plain, as gzip, as zstd."""
    with tempfile.TemporaryDirectory() as work:
        write(work, "perf.data", GOOD)
        plain = harness.decode(build, work, output="t.fxt")
        faults = harness.check_trace(plain.path) if plain.status == 0 else [plain.stderr]
        report.check(".fxt", faults)
        if faults:
            return
        data = read(plain.path)
        packed = harness.decode(build, work, output="t.fxt.gz")
        faults = [] if packed.status == 0 else [packed.stderr]
        if not faults:
            # One member, to the file's end, that the usual tool takes.
            member = read(packed.path)
            faults += [] if gzip.decompress(member) == data else ["other content"]
            faults += [] if member.count(b"\x1f\x8b\x08") == 1 else ["several members"]
            faults += [] if subprocess.run(["gzip", "-t", packed.path],
                                           check=False).returncode == 0 else ["gzip -t fails"]
        report.check(".fxt.gz", faults)
        packed = harness.decode(build, work, output="t.fxt.zst")
        if not shutil.which("zstd"):
            report.skip(".fxt.zst", "zstd is not installed")
            return
        p = subprocess.run(["zstd", "-dcq", packed.path], stdout=subprocess.PIPE, check=False)
        report.check(".fxt.zst", [] if packed.status == 0 and p.stdout == data else
                     ["other content: " + packed.stderr])


def default_name(build, report):
    """Without -o: trace.fxt.gz in the current directory."""
    with tempfile.TemporaryDirectory() as work:
        write(work, "text", GOOD)
        ended = harness.program(build, "decode", "text", env=harness.REPLAY, cwd=work)
        faults = [] if ended.status == 0 else ["exit status %s: %s" % (ended.status, ended.stderr)]
        if sorted(os.listdir(work)) != ["text", "trace.fxt.gz"]:
            faults.append("files: %s" % os.listdir(work))
        elif not faults:
            faults += harness.check_trace(os.path.join(work, "trace.fxt.gz"))
        if "trace.fxt.gz" not in ended.stderr:
            faults.append("does not say where the trace is: " + ended.stderr)
        report.check("default name", faults)


def old_file(build, report):
    """An older trace becomes FILE.old beside it; a failed decode touches neither."""
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "out"))
        write(work, "perf.data", "")
        write(work, "out/t.fxt", "older")
        write(work, "out/t.fxt.old", "oldest")
        harness.decode(build, work, output="out/t.fxt")
        faults = []
        if (read(work, "out/t.fxt"), read(work, "out/t.fxt.old")) != (b"older", b"oldest"):
            faults.append("a failed decode has changed a file")
        write(work, "perf.data", GOOD)
        ended = harness.decode(build, work, output="out/t.fxt")
        faults += harness.check_trace(ended.path)
        if read(work, "out/t.fxt.old") != b"older":
            faults.append("FILE.old is not the older file")
        first = read(ended.path)
        write(work, "perf.data", lines.good(1))
        harness.decode(build, work, output="out/t.fxt")
        if read(work, "out/t.fxt.old") != first or read(ended.path) == first:
            faults.append("the second trace has not replaced the first")
        if sorted(os.listdir(os.path.join(work, "out"))) != ["t.fxt", "t.fxt.old"]:
            faults.append("files: %s" % os.listdir(os.path.join(work, "out")))
        if sorted(os.listdir(work)) != ["out", "perf.data"]:
            faults.append("files elsewhere: %s" % os.listdir(work))
        report.check("FILE.old", faults)


def track_names(build, report):
    """One process a pid, one thread a tid, with the names that the recording kept."""
    with tempfile.TemporaryDirectory() as work:
        text = lines.start(10**9, "main", pid=7, tid=7)
        for pid, tid in ((7, 8), (7, 9), (10, 11), (12, 12), (-1, -1)):
            text += lines.start(10**9 + 10, "main", pid=pid, tid=tid)
        write(work, "perf.data", text)
        write(work, "recording.json", json.dumps({"version": 1, "processes": [
            {"pid": 7, "command_line": "/bin/server -v", "threads": [{"tid": 8, "comm": "worker"},
                                                                     {"tid": 7, "comm": "server"}]},
            {"pid": 10, "command_line": "x" * 40000}]}))
        ended = harness.decode(build, work)
        if ended.status != 0:
            report.check("names of tracks", [ended.stderr])
            return
        reader = harness.fxtdump.Reader(harness.fxtdump.load(ended.path))
        got = {(reader.pname[p], reader.tname[t]) for _, _, (p, t), _, _, _ in reader.events()}
        want = {("/bin/server -v [pid=7]", "server [tid=7]"),
                ("/bin/server -v [pid=7]", "worker [tid=8]"), ("/bin/server -v [pid=7]", "[tid=9]"),
                ("[pid=10]", "[tid=11]"), ("[pid=12]", "main"), ("[pid=?]", "[tid=?]")}
        report.check("names of tracks", ["missing: %s, %s" % n for n in sorted(want - got)] +
                     ["not expected: %s, %s" % n for n in sorted(got - want)])


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def alive(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def writes_to(pid, directory):
    """Whether it has a file open there, which need not have a name yet."""
    fds = "/proc/%d/fd" % pid
    try:
        return any(os.readlink(os.path.join(fds, fd)).startswith(directory + "/")
                   for fd in os.listdir(fds))
    except OSError:
        return False


def interrupt(build, report, name, perf, send):
    """Decodes what a perf without end prints, and is sent signals."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        os.mkdir(out)
        write(out, "t.fxt.gz", "older")
        path = write(work, "perf", perf)
        os.chmod(path, 0o755)
        write(work, "perf.text", GOOD)
        write(work, "perf.data", "")
        with subprocess.Popen([os.path.join(build, "magic-trace"), "decode", "-o",
                               os.path.join(out, "t.fxt.gz"), os.path.join(work, "perf.data")],
                              env=dict(os.environ, MAGIC_TRACE_PERF_PATH=path),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as p:
            faults = []
            if not wait_for(lambda: os.path.exists(path + ".pid") and writes_to(p.pid, out)):
                faults.append("has not begun: %s" % os.listdir(out))
            for sig in send:
                p.send_signal(sig)
            try:
                _, stderr = p.communicate(timeout=HANGS)
            except subprocess.TimeoutExpired:
                p.kill()
                _, stderr = p.communicate()
                faults.append("does not end")
        killed = signal.SIGKILL in send
        if not killed and p.returncode != 1:
            faults.append("exit status %s, expected 1: %s" % (p.returncode, stderr.decode()))
        if read(out, "t.fxt.gz") != b"older":
            faults.append("the older trace has changed")
        if not killed and os.listdir(out) != ["t.fxt.gz"]:
            faults.append("left behind: %s" % os.listdir(out))
        pid = int(read(path + ".pid") or 0) if os.path.exists(path + ".pid") else 0
        if pid and not wait_for(lambda: not alive(pid)):
            faults.append("perf still runs")
            os.kill(pid, signal.SIGKILL)
        report.check(name, faults)


def main():
    report = harness.Report("e2e/output")
    # Where it is ignored (a shell's background job), the program under test would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build = harness.build_dir()
    suffixes(build, report)
    default_name(build, report)
    old_file(build, report)
    track_names(build, report)
    deaf = "trap '' INT TERM HUP\n"
    for name, perf, send in (
            ("Ctrl+C", ENDLESS % "", [signal.SIGINT]),
            ("SIGTERM", ENDLESS % "", [signal.SIGTERM]),
            ("Ctrl+C while perf says nothing", SILENT % "", [signal.SIGINT]),
            ("Ctrl+C while perf does not end", CLOSED % "", [signal.SIGINT]),
            ("Ctrl+C, and perf is deaf", ENDLESS % deaf, [signal.SIGINT]),
            ("Ctrl+C twice", SILENT % deaf, [signal.SIGINT, signal.SIGINT]),
            ("killed", ENDLESS % "", [signal.SIGKILL])):
        interrupt(build, report, name, perf, send)
    report.exit()


if __name__ == "__main__":
    main()
