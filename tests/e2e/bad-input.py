#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Input that is wrong, a perf that fails, a disk that is full: what is said, and what is left.

Each case: the exit status, words that standard error must hold, what the trace holds (None: there
must be none), and that nothing else lies in the directory afterwards.
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402
import lines                    # noqa: E402

GOOD = lines.good()
ERROR = " instruction trace error type 1 time 1.000000000 cpu -1 pid 1 tid 1 ip 0 code 7: " \
    "Overflow packet\n"
CBR = "1/1 1.000000000: 1 cbr: cbr: 42 freq: 4000 MHz (100%) 0 0 [unknown] ([unknown])\n"
LONG = "1/1 1.000000005: 1 branches:u: call 10 " + "x" * 10**7 + "\n"


def fake_perf(directory, script):
    """A perf whose `script` command is some lines of shell; $data is what it was to read."""
    path = os.path.join(directory, "perf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n[ \"$1\" = script ] || { echo perf version 6.1.0; exit; }\n"
                "while [ \"$1\" != -i ]; do shift; done; data=$2\n" + script)
    os.chmod(path, 0o755)
    return {"MAGIC_TRACE_PERF_PATH": path}


class Case:
    def __init__(self, name, status, words, calls, text=GOOD, perf=None, args=(), output=None,
                 **run):
        self.name = name
        self.status = status
        self.words = words      # all must be on standard error
        self.calls = calls      # begins in the trace; None: there must be no trace
        self.text = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        self.perf = perf        # shell lines of a fake perf
        self.args = args
        self.output = output or "trace.fxt"
        self.run = run


# Files cannot grow beyond 1 or 2 KiB: writing fails, as on a full disk.
NO_SPACE = ("sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh")
# Who ignores SIGCHLD learns nothing of how a child ended, and hands that on.
NO_CHILDREN = (sys.executable, "-c", "import os, signal, sys; "
               "signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])")

CASES = [
    Case("empty text", 1, ["nothing"], None, text=""),
    Case("blank lines only", 1, ["trace"], None, text="\n\n \n"),
    Case("binary garbage", 1, ["line"], None, text=bytes(range(256)) * 4000),
    Case("zeros", 1, ["line"], None, text=bytes(100000)),
    Case("garbage around good lines", 0, ["line"], 4, text=b"\x00\xff\xfe\n" + GOOD.encode() +
         b"\x80" * 1000 + b"\n"),
    Case("text cut in a line", 3, ["perf.data"], 4, text=GOOD + GOOD[:60]),
    Case("only a line of 10 MB", 1, ["longer"], None, text=LONG),
    Case("a line of 10 MB among others", 3, ["longer"], 4, text=LONG + GOOD),
    Case("a line of 10 MB that never ends", 3, ["longer"], 4, text=GOOD + LONG.rstrip()),
    Case("decode errors only", 1, ["decode error"], None,
         text=ERROR * 5),
    Case("a clock rate only", 1, ["no call"], None, text=CBR),
    Case("decode errors and a clock rate", 1, ["decode error"], None, text=ERROR + CBR),
    Case("decode errors and nothing traced", 1, ["decode error"], None,
         text=ERROR + lines.branch(10**9, "tr strt tr end", lines.NOWHERE, lines.at("main"))),
    Case("decode errors and calls", 0, ["1 decode error"], 4, text=ERROR + GOOD),
    Case("perf fails where SIGCHLD is ignored", 3, ["oh dear"], 4,
         perf="cat \"$data\"; echo oh dear >&2; exit 1\n",
         before=NO_CHILDREN),
    Case("perf fails half-way", 3, ["oh dear"], 4,
         perf="cat \"$data\"; echo oh dear >&2; exit 1\n"),
    Case("perf fails at once", 1, ["cannot do it"], None, perf="echo cannot do it >&2; exit 1\n"),
    Case("perf is killed", 3, ["kill"], 4, perf="cat \"$data\"; kill -9 $$\n"),
    Case("perf says bad usage", 1, ["perf"], None, perf="exit 129\n"),
    Case("perf is missing", 1, ["/nowhere/perf"], None,
         env={"MAGIC_TRACE_PERF_PATH": "/nowhere/perf"}),
    Case("perf is no program", 1, ["/etc/passwd"], None,
         env={"MAGIC_TRACE_PERF_PATH": "/etc/passwd"}),
    Case("perf closes its output and hangs", 3, ["perf"], 4,
         perf="cat \"$data\"; exec >&- 2>&-; sleep 1000\n"),
    Case("perf closes its output, hangs and ignores signals", 3, ["perf"], 4,
         perf="trap '' INT TERM HUP; cat \"$data\"; exec >&- 2>&-; sleep 1000 & wait; sleep 99\n"),
    Case("no directory for the output", 1, ["no/such"], None, output="no/such/trace.fxt"),
    Case("output is a directory", 1, ["dir.fxt"], None, output="dir.fxt"),
    Case("no space for the trace", 1, ["trace.fxt"], None, text=lines.good(20000),
         before=NO_SPACE),
    Case("no space, compressed", 1, ["trace.fxt.gz"], None, text=lines.good(20000),
         output="trace.fxt.gz", before=NO_SPACE),
]


def look(case, ended, names):
    """Faults of one run."""
    faults = []
    if ended.status is None:
        return ["hangs"]
    if ended.status != case.status:
        faults.append("exit status %s, expected %d" % (ended.status, case.status))
    faults += ["standard error does not hold %r" % w for w in case.words if w not in ended.stderr]
    left = set(names) - {"perf", "perf.data", "dir.fxt"}
    if case.calls is None:
        faults += ["left behind: " + n for n in sorted(left)]
    elif left != {os.path.basename(case.output)}:
        faults.append("files afterwards: %s" % sorted(left))
    else:
        faults += harness.check_trace(ended.path)
        begins = sum(e.ph == "B" for e in fxt.read(ended.path))
        if begins != case.calls:
            faults.append("%d begins, expected %d" % (begins, case.calls))
    return faults + ([ended.stderr[-2000:]] if faults else [])


def run_case(build, case):
    with tempfile.TemporaryDirectory() as work:
        with open(os.path.join(work, "perf.data"), "wb") as f:
            f.write(case.text)
        if case.output == "dir.fxt":
            os.mkdir(os.path.join(work, "dir.fxt"))
        env = fake_perf(work, case.perf) if case.perf else {}
        run = dict(case.run)
        env.update(run.pop("env", {}))
        ended = harness.decode(build, work, *case.args, output=case.output, env=env, **run)
        return look(case, ended, os.listdir(work))


def no_recording(build, report):
    """Inputs that are not there, or no recording."""
    with tempfile.TemporaryDirectory() as work:
        os.symlink("nowhere", os.path.join(work, "dangling"))
        os.mkdir(os.path.join(work, "empty"))
        os.symlink("loop", os.path.join(work, "loop"))
        before = sorted(os.listdir(work))
        for name, args in (("a file that is not there", ["nothing"]),
                           ("a link to nothing", ["dangling"]), ("a link to itself", ["loop"]),
                           ("no such directory", ["-working-directory", "nothing"]),
                           ("a directory without data", ["-working-directory", "empty"])):
            ended = harness.program(build, "decode", *args, env=harness.REPLAY, cwd=work)
            faults = [] if ended.status == 1 else ["exit status %s" % ended.status]
            if args[-1] not in ended.stderr:
                faults.append("what could not be read is not named: " + ended.stderr)
            if sorted(os.listdir(work)) != before:
                faults.append("left behind: %s" % os.listdir(work))
            report.check(name, faults)


def one_file_cut(build, report):
    """Of two data files the first ends in a line: said of that one alone, and in the status."""
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("perf.data.2024010100000000", GOOD + GOOD[:60]),
                           ("perf.data.2024010100000001", GOOD)):
            with open(os.path.join(work, name), "w", encoding="utf-8") as f:
                f.write(text)
        ended = harness.decode(build, work)
        faults = [] if ended.status == 3 else ["exit status %s" % ended.status]
        said = [line for line in ended.stderr.splitlines() if "ends within a line" in line]
        if len(said) != 1 or "00000000 " not in said[0]:
            faults.append("said: " + ended.stderr)
        report.check("one file of two is cut", faults)


def one_file_missing(build, report):
    """Of two data files one is not there: the other is decoded, and the status says so."""
    with tempfile.TemporaryDirectory() as work:
        os.symlink("nowhere", os.path.join(work, "perf.data.2024010100000000"))
        with open(os.path.join(work, "perf.data.2024010100000001"), "w", encoding="utf-8") as f:
            f.write(GOOD)
        ended = harness.decode(build, work)
        faults = [] if ended.status == 3 else ["exit status %s" % ended.status]
        if "perf.data.2024010100000000" not in ended.stderr or "-sampling" in ended.stderr:
            faults.append("said: " + ended.stderr)
        report.check("one file of two is missing", faults)


def broken_description(build, report):
    """A recording.json that cannot be read: what to do instead."""
    with tempfile.TemporaryDirectory() as work:
        for name, text in (("perf.data", GOOD), ("recording.json", "{")):
            with open(os.path.join(work, name), "w", encoding="utf-8") as f:
                f.write(text)
        ended = harness.decode(build, work)
        faults = [] if ended.status == 0 else ["exit status %s" % ended.status]
        faults += ["not said: " + word for word in ("recording.json", "-sampling",
                                                    "-trace-include-kernel", "-trace-kernel-only")
                   if word not in ended.stderr]
        report.check("broken recording.json", faults)


def unreadable(build, report):
    """A data file without permission."""
    name = "unreadable data"
    # Root reads everything: be somebody else.
    user = {"user": 65534, "group": 65534} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o777)
        data = os.path.join(work, "perf.data")
        with open(data, "w", encoding="utf-8") as f:
            f.write(GOOD)
        os.chmod(data, 0)
        try:
            ended = harness.decode(build, work, **user)
        except (OSError, subprocess.SubprocessError) as e:
            report.skip(name, "cannot be another user: %s" % e)
            return
        faults = [] if ended.status == 1 else ["exit status %s" % ended.status]
        if "perf.data" not in ended.stderr:
            faults.append("does not name the file: " + ended.stderr)
        if os.listdir(work) != ["perf.data"]:
            faults.append("left behind: %s" % os.listdir(work))
        report.check(name, faults)


def full_disk(build, report):
    """A file system that runs full: the older trace stays, and so does what was kept of one."""
    name = "full disk"
    with tempfile.TemporaryDirectory() as work:
        disk = os.path.join(work, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk],
                          stderr=subprocess.DEVNULL, check=False).returncode:
            report.skip(name, "tmpfs cannot be mounted")
            return
        try:
            for n in ("trace.fxt", "trace.fxt.old"):
                with open(os.path.join(disk, n), "w", encoding="utf-8") as f:
                    f.write(n)
            with open(os.path.join(work, "perf.data"), "w", encoding="utf-8") as f:
                f.write(lines.good(20000))
            ended = harness.decode(build, work, output="disk/trace.fxt")
            faults = [] if ended.status == 1 else ["exit status %s" % ended.status]
            if os.strerror(28) not in ended.stderr:
                faults.append("does not say that the disk is full: " + ended.stderr)
            for n in ("trace.fxt", "trace.fxt.old"):
                with open(os.path.join(disk, n), encoding="utf-8") as f:
                    if f.read() != n:
                        faults.append("%s has changed" % n)
            if sorted(os.listdir(disk)) != ["trace.fxt", "trace.fxt.old"]:
                faults.append("left behind: %s" % os.listdir(disk))
        finally:
            subprocess.run(["umount", disk], check=False)
        report.check(name, faults)


def main():
    report = harness.Report("e2e/bad-input")
    build = harness.build_dir()
    # Some wait for a perf that hangs: at once with the others.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = pool.map(lambda case: run_case(build, case), CASES)
        for case, faults in zip(CASES, results):
            report.check(case.name, faults)
    no_recording(build, report)
    one_file_cut(build, report)
    one_file_missing(build, report)
    broken_description(build, report)
    unreadable(build, report)
    full_disk(build, report)
    report.exit()


if __name__ == "__main__":
    main()
