#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is printed while decoding: the -z flags, MAGIC_TRACE_DEBUG, perf's own messages, progress on
a terminal; and standard files that are closed."""
import array
import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import lines                    # noqa: E402

EVENT = re.compile(r"1\.\d{9} 1/1 branch (start|call|return) ")


def set_up(work, text=lines.good()):
    with open(os.path.join(work, "perf.data"), "w", encoding="utf-8") as f:
        f.write(text)


def fake_perf(work, script):
    path = os.path.join(work, "perf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + script)
    os.chmod(path, 0o755)
    return {"MAGIC_TRACE_PERF_PATH": path}


def quiet(build, work):
    """Without flags: nothing on standard output, three lines on standard error."""
    ended = harness.decode(build, work)
    said = [r"\[ Decoding, this takes a while\.\.\. \]\n",
            r"Visit https://magic-trace\.org/ and open \S*trace\.fxt to view trace\.\n",
            r"Traced 1 thread, .*, 4 calls; 0 decode errors; 0 lines not understood; .*\n"]
    faults = [] if ended.status == 0 else ["exit status %s" % ended.status]
    faults += ["standard output: " + ended.stdout] if ended.stdout else []
    return faults + ([] if re.fullmatch("".join(said), ended.stderr) else [ended.stderr])


def print_events(build, work):
    """One line an event, in order; on standard output alone."""
    out = harness.decode(build, work, "-z-print-events").stdout.splitlines()
    faults = ["line: " + line for line in out if not EVENT.match(line)]
    return faults + ([] if len(out) == 7 else ["%d lines, expected 7" % len(out)])


def print_perf_commands(build, work):
    """The command that is printed, run by a shell, prints what was decoded."""
    odd = os.path.join(work, "it's a dir")
    os.mkdir(odd)
    set_up(odd)
    said = harness.decode(build, odd, "-z-print-perf-commands", "-symfs", odd).stderr.splitlines()
    commands = [line for line in said if " script " in line]
    if len(commands) != 1 or "--symfs" not in commands[0]:
        return ["said: %s" % said]
    p = subprocess.run(["sh", "-c", commands[0]], stdout=subprocess.PIPE, check=False)
    return [] if p.stdout.decode() == lines.good() else [commands[0]]


def debug(build, work):
    """Events, commands, and a mark on a call that was not seen."""
    set_up(work, lines.branch(10**9, "return", lines.at("g", 0x3000, 16), lines.at("main", off=20)) +
           lines.good())
    ended = harness.decode(build, work, env={"MAGIC_TRACE_DEBUG": "1"})
    with open(ended.path, "rb") as f:
        marked = b" [inferred start time]" in f.read()
    faults = [] if " script -i " in ended.stderr else ["no command: " + ended.stderr]
    faults += [] if EVENT.match(ended.stdout) else ["no events: " + ended.stdout]
    return faults + ([] if marked else ["inferred begins are not marked"])


def perf_stderr(build, work):
    """Each line of perf's, with nothing in it that steers a terminal."""
    env = fake_perf(work, "while [ \"$1\" != -i ]; do shift; done; cat \"$2\"\n"
                    "printf 'one\\n\\033[31mtwo\\n' >&2\n")
    ended = harness.decode(build, work, env=env)
    said = ended.stderr.splitlines()
    return [] if ended.status == 0 and "one" in said and r"\x1b[31mtwo" in said else [ended.stderr]


def closed_pipe(build, work):
    """-z-print-events | head -1: it ends, and leaves no trace of a part."""
    env = fake_perf(work, "while [ \"$1\" != -i ]; do shift; done; while cat \"$2\"; do :; done\n")
    with subprocess.Popen([os.path.join(build, "magic-trace"), "decode", "-z-print-events", "-o",
                           os.path.join(work, "trace.fxt"), os.path.join(work, "perf.data")],
                          env=dict(os.environ, **env), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        p.stdout.readline()
        p.stdout.close()
        try:
            said = p.stderr.read().decode()
            status = p.wait(timeout=30)
        except subprocess.TimeoutExpired:
            p.kill()
            return ["does not end"]
    faults = [] if status == 1 and "standard output" in said else ["%s: %s" % (status, said)]
    left = set(os.listdir(work)) - {"perf", "perf.data"}
    return faults + (["left behind: %s" % left] if left else [])


def waiting(pipe):
    """How many bytes of a pipe nobody has read."""
    n = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, n)
    return n[0]


def full_pipe(build, work):
    """-z-print-events | a reader that does not read: Ctrl+C ends it all the same."""
    set_up(work, lines.good(1500))
    env = fake_perf(work, "while [ \"$1\" != -i ]; do shift; done; cat \"$2\"; exec sleep 60\n")
    with subprocess.Popen([os.path.join(build, "magic-trace"), "decode", "-z-print-events", "-o",
                           os.path.join(work, "trace.fxt"), os.path.join(work, "perf.data")],
                          env=dict(os.environ, **env), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        last, end = -1, time.monotonic() + 20
        while (last <= 0 or waiting(p.stdout) != last) and time.monotonic() < end:
            last = waiting(p.stdout)
            time.sleep(0.3)
        p.send_signal(signal.SIGINT)
        try:
            status = p.wait(timeout=20)
        except subprocess.TimeoutExpired:
            p.kill()
            return ["does not end"]
        said = p.stderr.read().decode()
    faults = [] if status == 1 and "interrupted" in said else ["%s: %s" % (status, said)]
    left = set(os.listdir(work)) - {"perf", "perf.data"}
    return faults + (["left behind: %s" % left] if left else [])


def closed_files(build, work):
    """No message and no event gets into a trace that took the number of a closed file."""
    path = os.path.join(work, "trace.fxt")
    command = "exec \"$0\" decode -z-print-events -o \"$1\" \"$2\" <&- >&- 2>&-"
    p = subprocess.run(["sh", "-c", command, os.path.join(build, "magic-trace"), path,
                        os.path.join(work, "perf.data")],
                       env=dict(os.environ, **harness.REPLAY), check=False)
    return ([] if p.returncode == 0 else ["exit status %s" % p.returncode]) + \
        harness.check_trace(path)


def progress(build, work):
    """On a terminal: lines that replace each other, and none is left at the end."""
    env = fake_perf(work, "while [ \"$1\" != -i ]; do shift; done; for i in 1 2 3 4 5; do "
                    "cat \"$2\"; sleep 0.3; done\n")
    set_up(work, lines.good(5000))
    ours, theirs = pty.openpty()
    with subprocess.Popen([os.path.join(build, "magic-trace"), "decode", "-o",
                           os.path.join(work, "trace.fxt"), os.path.join(work, "perf.data")],
                          env=dict(os.environ, **env), stderr=theirs) as p:
        os.close(theirs)
        said = b""
        while True:
            try:
                said += os.read(ours, 65536)
            except OSError:     # the other end is closed
                break
    os.close(ours)
    text = said.decode()
    drawn = re.findall(r"\r\033\[K([^\r\n]*)", text)
    faults = [] if p.returncode == 0 else ["exit status %s" % p.returncode]
    if not any(re.fullmatch(r"[\d.]+ [kM]B, [\d,]+ events, [\d,]+ spans, \d+ s", d) for d in drawn):
        faults.append("no progress: %r" % text)
    last = text.rpartition("\033[K")[2]
    return faults + ([] if "events, " not in last else ["it stays: %r" % last])


def main():
    report = harness.Report("e2e/console")
    # Where it is ignored (a shell's background job), the program under test would ignore it too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build = harness.build_dir()
    for test in (quiet, print_events, print_perf_commands, debug, perf_stderr, closed_pipe,
                 full_pipe, closed_files, progress):
        with tempfile.TemporaryDirectory() as work:
            set_up(work)
            report.check(test.__name__, test(build, work))
    report.exit()


if __name__ == "__main__":
    main()
