#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`magic-trace run -software`, with both engines: the program does what it does without us, and all
that it did is in the trace.

What it did it says itself (targets/does.c, fibs.c, throws.cc); how many branches it took is counted
by perf, in the recording that is kept, and by the engine: both must be the same. What is stepped is
statically linked wherever it does not matter: the dynamic linker alone is 80,000 instructions.
"""
import collections
import functools
import glob
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import fxt                      # noqa: E402
import harness                  # noqa: E402

DOES = 5                        # the status with which does.c exits
FIBS = 3                        # and fibs.c
ALL = "0 decode errors; 0 lines not understood"
TOLD = re.compile(r"^\[ (QEMU|Single steps): ([\d,]+) instructions, ([\d,]+) branches, ", re.M)
SIGNS = {"qemu": "QEMU", "step": "Single steps"}
NOBODY = 65534
# exit(7) by the system call of 32-bit programs
TINY = ".globl _start\n_start: mov $1, %eax\n mov $7, %ebx\n int $0x80\n"


class Programs:
    """All that is run."""

    KINDS = {"static": ["-static"], "static-pie": ["-static-pie", "-fPIE"],
             "pie": ["-fPIE", "-pie"], "no-pie": ["-fno-pie", "-no-pie"]}

    def __init__(self, work):
        self.work = work
        # debug info is read once for all recordings
        os.environ["XDG_CACHE_HOME"] = self.path("cache")
        for kind, flags in self.KINDS.items():
            harness.compile_target(work, "fibs.c", "-O1", "-g", *flags, out="fibs-" + kind)
        for kind in ("static", "pie"):
            harness.compile_target(work, "does.c", "-O1", "-g", *self.KINDS[kind],
                                   out="does-" + kind)
        harness.compile_target(work, "throws.cc", "-O1", "-no-pie", "-static-libgcc",
                               "-static-libstdc++", compiler="g++")
        harness.compile_target(work, "library.c", "-shared", "-fPIC", out="libcalled.so")
        harness.compile_target(work, "does.c", "-O1", "-L" + work, "-Wl,--no-as-needed", "-lcalled",
                               "-Wl,-rpath," + work, out="does-linked")
        self.script("fibs.sh", "#!%s 4\n" % self.path("fibs-static"))
        self.script("lost.sh", "#!%s/no/such/interpreter\n" % work)
        self.script("text", "no program\n")
        self.script("unexecutable", "#!/bin/sh\n", 0o644)

    def path(self, name):
        return os.path.join(self.work, name)

    def script(self, name, text, mode=0o755):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(self.path(name), mode)

    def address(self, name, function):
        symbols = subprocess.run(["nm", self.path(name)], stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
        return int(re.search(r"^([0-9a-f]+) \w %s$" % function, symbols, re.M)[1], 16)


def end_of(status):
    """How the end of a program is told: status -n for a signal, None: it has none."""
    if status is None:
        return ") runs on."
    if status < 0:
        return ") was killed by signal %d (%s)." % (-status, signal.strsignal(-status))
    return ") exited with status %d." % status


class Test:
    """One recording."""

    def __init__(self, build, programs):
        self.build, self.programs = build, programs
        self.work = tempfile.mkdtemp(dir=programs.work)
        self.trace = os.path.join(self.work, "trace.fxt")
        self.kept = os.path.join(self.work, "kept")
        self.events = None

    def recorder(self, engine, words, *flags, **more):
        """words: the program, and its arguments; the first may be one of ours."""
        name, *args = words.split()
        own = self.programs.path(name)
        return harness.Recorder(self.build, self.work, "run", "-software", "-software-engine",
                                engine, "-o", self.trace, "-working-directory", self.kept, *flags,
                                "--", own if os.path.exists(own) else name,
                                *[a.replace("@", self.programs.work + "/") for a in args], **more)

    def run(self, engine, words, *flags, ends=DOES, prints=None, expected=0, **more):
        """To its end. ends: how the program does, a status or a signal (-n)."""
        with self.recorder(engine, words, *flags, **more) as r:
            ended = r.end()
            faults = r.left()
        return faults + self.judge(ended, engine, ends, prints, expected), ended

    def judge(self, ended, engine, ends, prints, expected=0, read=True):
        """What holds for every recording; its events are read for what comes then."""
        faults = []
        if ended.status != expected:
            faults.append("exit status %s" % ended.status)
        if ALL not in ended.stderr:
            faults.append("not all was decoded")
        if prints is not None and ended.stdout != prints:
            faults.append("printed %r" % ended.stdout)
        if end_of(ends) not in ended.stderr:
            faults.append("it is not said that it" + end_of(ends))
        told = TOLD.search(ended.stderr)
        if engine in SIGNS and (not told or told[1] != SIGNS[engine]):
            faults.append("it is not said what executed it")
        faults = [f + ":\n" + ended.stderr for f in faults[:1]]
        if os.path.exists(self.trace):
            faults += harness.check_trace(self.trace)
            self.events = fxt.read(self.trace) if read else None
        return faults

    # --- what is in the trace ---

    def spans(self, name):
        return [s for s in fxt.spans(self.events) if s.name == name]

    def count(self, **calls):
        """How often functions were called, against what is in the trace."""
        return ["%s: %d calls in the trace, %d were made" % (name, len(self.spans(name)), n)
                for name, n in calls.items() if len(self.spans(name)) != n]

    def hits(self, symbol):
        return [e for e in self.events if e.name == "hit " + symbol]

    # --- what was recorded ---

    def files(self):
        return sorted(glob.glob(glob.escape(self.kept) + "/perf.data*"))

    def decoded(self, fields):
        """The lines that perf prints of the branches and errors in all files."""
        for path in self.files():
            with subprocess.Popen(["perf", "script", "-i", path, "--itrace=be", "-F", fields],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  text=True) as p:
                yield from filter(str.strip, p.stdout)
            if p.returncode:
                raise OSError("perf script: status %d" % p.returncode)

    def counted(self, ended):
        """perf decodes as many branches as the engine has seen, and no error."""
        n = 0
        for line in self.decoded("event,flags,ip,addr"):
            if "branches:uH:" not in line:
                return ["perf says: " + line]
            n += 1
        told = int(TOLD.search(ended.stderr)[3].replace(",", ""))
        return [] if n == told else ["%d branches by perf, %d by the engine" % (n, told)]

    def arrivals(self, program, functions):
        """How often perf has a branch to the beginning of functions."""
        to = collections.Counter(line.split()[-1] for line in self.decoded("ip,addr"))
        found = {f: to["%x" % self.programs.address(program, f)] for f in functions}
        return [] if found == functions else ["arrivals: %s, not %s" % (found, functions)]

    def description(self):
        with open(os.path.join(self.kept, "recording.json"), encoding="utf-8") as f:
            return json.load(f)


def nested(spans, depth):
    """Spans lie in each other, one deeper each, from this depth on."""
    depths = [s.depth for s in spans]
    want = list(range(depth, depth + len(spans)))
    return [] if depths == want else ["depths %s, not %s" % (depths, want)]


# --- calls ---

def whole(test, engine, kind, *flags):
    """Every call of a small program, and as deep as it was."""
    faults, ended = test.run(engine, "fibs-%s 8" % kind, *flags, ends=FIBS, prints="calls 200")
    if faults:
        return faults
    fibs, main = test.spans("fib"), test.spans("main")
    # fib(6) goes 6 deep, below work()
    if not main or {s.depth - main[0].depth for s in fibs} != {2, 3, 4, 5, 6, 7}:
        faults.append("depths of fib: %s" % sorted({s.depth for s in fibs}))
    return faults + test.count(fib=200, done=8, main=1) + test.counted(ended)


def exception(test, engine):
    """Two are thrown, out of 2 calls and out of 3."""
    faults, ended = test.run(engine, "throws", ends=0, prints="throws 2 5")
    return faults or test.counted(ended) + test.arrivals("throws", {"_ZL4deepi": 5, "main": 1})


def jumps(test, engine):
    """Handlers, and what leaves several calls at once; where they land is perf's to say."""
    faults, ended = test.run(engine, "does-static jumps", prints="jumps 10")
    if faults:
        return faults
    deepers = sorted(test.spans("deeper"), key=lambda s: s.start)
    return nested(deepers, deepers[0].depth) + test.count(deeper=5) + test.counted(ended) + \
        test.arrivals("does-static", {"handler": 4, "raises": 4, "deeper": 5, "level": 3})


def death(test, engine, what, sig):
    """By a signal: that is said, and its last calls are there."""
    faults, ended = test.run(engine, "does-static " + what, "-program-status", ends=-sig,
                             expected=128 + sig)
    if faults:
        return faults
    depth = test.spans("main")[0].depth
    last = test.spans("first") + test.spans("second") + test.spans("third")
    if len(last) != 3 or nested(last, depth + 1):
        return ["its last calls are %s" % last]
    return test.counted(ended)


def threads(test, engine, multi):
    faults, ended = test.run(engine, "does-static threads", *(["-multi-thread"] if multi else []),
                             prints="threads")
    if faults:
        return faults
    works = test.spans("work")
    by_track = sorted(sum(s.track == t for s in works) for t in {s.track for s in works})
    if by_track != ([3] * 4 if multi else [3]):
        faults.append("calls of work by track: %s" % by_track)
    return faults + test.counted(ended)


# --- processes ---

def executes(test, engine, program, *more):
    """Another program is recorded too, from its first instruction on."""
    faults, ended = test.run(engine, "does-static exec @%s" % program, *more, ends=FIBS,
                             prints="calls 100")
    if faults:
        return faults
    return test.count(executes=1, main=2, fib=100, done=4) + test.counted(ended)


def cannot_execute(test, engine):
    """The program sees that it cannot, as without us."""
    faults, ended = test.run(engine, "does-static exec @lost.sh",
                             prints="cannot: No such file or directory")
    return faults or test.count(executes=1, main=1) + test.counted(ended)


def forks(test, engine, what, prints, *flags, child=None):
    """Children run on by themselves, or are recorded with -follow-fork."""
    faults, ended = test.run(engine, "does-static " + what, *flags, prints=prints)
    if faults:
        return faults
    processes = {s.track.split("/")[0] for s in test.spans("main") + test.spans("in_child")}
    if child is not None and (test.count(in_child=child) or len(processes) != 1 + child):
        faults.append("in_child %d times, processes %s" % (len(test.spans("in_child")), processes))
    return faults + test.count(waited=1 if what != "system" else 0) + test.counted(ended)


def follows_all(test, what, prints, mains):
    """What children execute is recorded: each program has its main."""
    faults, ended = test.run("auto", "does-static " + what, "-follow-fork", prints=prints)
    if faults:
        return faults
    processes = {e.track.split("/")[0] for e in test.events if e.ph == "B"}
    if len(processes) != mains:
        faults.append("processes %s" % processes)
    return faults + test.counted(ended)


# --- triggers ---

def triggered(test, engine, words, trigger, symbol, prints, *flags, ends=DOES, shown=None,
              address=None):
    """The first hit ends the recording at that very instruction; the program runs on."""
    faults, ended = test.run(engine, words, "-trigger", trigger, *flags, ends=ends,
                             prints=prints)
    if faults:
        return faults
    hits = test.hits(symbol)
    if len(hits) != 1 or "[ Snapshot taken. ]" not in ended.stderr:
        return ["hits %s: %s" % (hits, ended.stderr)]
    if address is not None and hits[0].args["ip"] != hex(address):
        faults.append("the hit was at %s, not %x" % (hits[0].args["ip"], address))
    # other threads may be ahead: under QEMU each has a time of its own
    track = "/%d" % hits[0].args["tid"]
    late = [s for s in fxt.spans(test.events) if s.start > hits[0].end and s.track.endswith(track)]
    if late:
        faults.append("behind the hit there is %s" % late[0].name)
    return faults + test.count(**(shown or {"before": 1, "after": 0}))


def at_line(test, engine):
    with open(os.path.join(HERE, "targets", "does.c"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    # its first instruction is of the brace
    line = "does.c:%d" % (lines.index("APART void handle(long time, long n)") + 2)
    return triggered(test, engine, "does-static hits 3", line, line, "hits 3",
                     address=test.programs.address("does-static", "handle"))


def by_address(test, engine):
    at = test.programs.address("does-static", "handle")
    return triggered(test, engine, "does-static hits 3", "addr:%#x" % at, "%#x" % at, "hits 3",
                     address=at)


def in_thread(test, engine):
    """In another thread it is seen with -multi-thread only."""
    faults = triggered(test, engine, "does-static thread-hits 2", "handle", "handle", "hits 2",
                       "-multi-thread", address=test.programs.address("does-static", "handle"))
    first = None if faults else test.description()["processes"][0]["pid"]
    if not faults and test.hits("handle")[0].args["tid"] == first:
        faults.append("the hit was in the first thread")
    return faults


def never(test, engine, words, prints, trigger):
    """Not hit: how it ended is the snapshot, which is all of it."""
    faults, ended = test.run(engine, words, "-trigger", trigger, prints=prints)
    if faults:
        return faults
    if trigger + " was not called" not in ended.stderr or test.hits(trigger):
        faults.append(ended.stderr)
    return faults + test.count(main=1) + test.counted(ended)


def snapshots(test, engine):
    """-multi-snapshot: each hit has a file; what comes behind the last is not written."""
    with Paced(test, engine, "-trigger", "tick", "-multi-snapshot") as p:
        for i in range(3):
            p.tick()
            p.said("[ Snapshot taken. ]", i + 1)
        faults = p.end()
    if len(test.files()) != 3 or len(test.hits("tick")) != 3:
        faults.append("files %s, hits %s" % (test.files(), test.hits("tick")))
    # a file ends at the beginning of a call, in which the next one begins
    return faults or test.count(tick=3 + 2, paced=3)


def every_hit(test, engine):
    """There is a snapshot at each, however close they come."""
    faults, _ = test.run(engine, "does-static hits 20", "-trigger", "handle", "-multi-snapshot",
                         prints="hits 20")
    if not faults and (len(test.files()) != 20 or len(test.hits("handle")) != 20):
        faults.append("files %s, hits %s" % (test.files(), test.hits("handle")))
    return faults or test.count(before=20, after=0)


def wrong_trigger(test, engine, words, trigger, *said):
    """It is not there: nothing is run."""
    with test.recorder(engine, words, "-trigger", trigger) as r:
        ended = r.end()
        faults = r.left()
    if ended.status != 1 or ended.stdout or os.path.exists(test.trace):
        faults.append("status %s, printed %r" % (ended.status, ended.stdout))
    return faults + ["%r is not said: %s" % (w, ended.stderr)
                     for w in said if w not in ended.stderr]


# --- when it ends ---

def ring(test, engine, n):
    """A small ring keeps the end."""
    faults, _ = test.run(engine, "does-static leaps %d" % n, "-snapshot-size", "64K",
                         prints="leaps %d" % n)
    if faults:
        return faults
    kept = len(test.spans("leap")) + len(test.spans("vault"))
    if not 1000 < kept < n or len(test.spans("main")) != 1 or not test.spans("_exit"):
        faults.append("%d calls of %d" % (kept, n))
    if sum(map(os.path.getsize, test.files())) > 2 * 65536:
        faults.append("the file is larger than the ring")
    return faults


class Paced:
    """`does paced`, which does a step when it is told to, and says so."""

    def __init__(self, test, engine, *flags):
        self.recorder = test.recorder(engine, "does-static paced", *flags, stdin=subprocess.PIPE)
        self.test, self.engine, self.ticks = test, engine, 0

    def __enter__(self):
        self.recorder.__enter__()
        return self

    def __exit__(self, *args):
        self.recorder.__exit__(*args)

    def tick(self, n=1):
        for _ in range(n):
            self.ticks += 1
            self.recorder.process.stdin.write(b"x")
            self.recorder.process.stdin.flush()
            if not self.recorder.out.wait("tick %d" % self.ticks):
                raise EOFError("no tick: " + "\n".join(self.recorder.err.lines))

    def said(self, text, count=1):
        if not self.recorder.err.wait(text, count):
            raise EOFError("%r is not said: %s" % (text, "\n".join(self.recorder.err.lines)))

    def end(self, ends=DOES):
        """Closes its input; it has done all ticks."""
        self.recorder.process.stdin.close()
        ended = self.recorder.end()
        ticks = re.findall(r"^tick (\d+)$", ended.stdout, re.M)
        faults = self.recorder.left() + self.test.judge(ended, self.engine, ends, None)
        return faults + ([] if len(ticks) == self.ticks else ["it did %s" % ticks])


def asked(test, engine):
    """SIGUSR2 is the end; what the program did before is there, what it did behind it is not."""
    with Paced(test, engine) as p:
        ready = p.recorder.ready()
        pid = p.recorder.out.wait("pid ")
        p.tick(3)
        p.recorder.signal(signal.SIGUSR2)
        p.said("[ Snapshot taken. ]")
        p.tick(2)
        faults = p.end()
    if ready != "recording %s\n" % pid.split()[1]:
        faults.append("-ready-fd: %r, %s" % (ready, pid))
    return faults or test.count(tick=3)


def asked_often(test, engine):
    """With -multi-snapshot each SIGUSR2 has a file."""
    with Paced(test, engine, "-multi-snapshot") as p:
        for i in range(3):
            p.tick(2)
            p.recorder.signal(signal.SIGUSR2)
            p.said("[ Snapshot taken. ]", i + 1)
        p.tick(2)
        faults = p.end()
    if len(test.files()) != 3:
        faults.append("files %s" % test.files())
    return faults or test.count(tick=6)


def interrupted(test, engine):
    """The first Ctrl-C is the program's; the second ends the recording, and us, and not the
    program."""
    with Paced(test, engine) as p:
        p.tick(2)
        p.recorder.signal(signal.SIGINT)
        p.recorder.out.wait("interrupted")
        p.tick(1)
        p.recorder.signal(signal.SIGINT)
        p.said("detaching")
        p.said("[ Finished recording. ]")
        p.recorder.process.wait(60)
        p.tick(2)
        faults = p.end(None)
    return faults or test.count(tick=3, on_int=1)


def duration(test, engine):
    with Paced(test, engine, "-duration", "0.2") as p:
        p.tick(1)
        p.said("[ Finished recording. ]")
        n = p.ticks
        p.tick(2)
        faults = p.end()
    if not faults and len(test.spans("tick")) > n:
        faults.append("%d ticks are in the trace, %d were in time" % (len(test.spans("tick")), n))
    return faults


# --- what the program sees ---

def pipes(test, engine):
    """Its files are ours: nothing is added, nothing is lost."""
    with test.recorder(engine, "does-static line", "-program-status",
                       stdin=subprocess.PIPE) as r:
        r.process.stdin.write(b"hello\nmore\n")
        r.process.stdin.close()
        ended = r.end()
        faults = r.left() + test.judge(ended, engine, DOES, "terminals 0 0 0\nline hello", DOES)
    if "said 6" not in ended.stderr.splitlines():
        faults.append("its standard error: " + ended.stderr)
    return faults or test.count(line=1) + test.counted(ended)


def terminal(test, engine):
    """With a terminal for all three."""
    ours, theirs = pty.openpty()
    argv = [os.path.join(test.build, "magic-trace"), "run", "-software", "-software-engine", engine,
            "-o", test.trace, test.programs.path("does-static"), "--", "line"]
    said = b""
    with subprocess.Popen(argv, stdin=theirs, stdout=theirs, stderr=theirs,
                          start_new_session=True, env=dict(os.environ, TMPDIR=test.work)) as p:
        os.close(theirs)
        os.write(ours, b"hello\n")
        try:
            while True:
                more = os.read(ours, 4096)
                said += more
                if not more:
                    break
        except OSError:         # EIO: nobody has it open any more
            pass
        finally:
            os.close(ours)
    lines = said.decode().replace("\r\n", "\n").splitlines()
    wanted = ["terminals 1 1 1", "line hello", "said 6"]
    faults = ["%r is not among %s" % (w, lines) for w in wanted if w not in lines]
    return faults + (["status %s" % p.returncode] if p.returncode else [])


# --- times, and the same again ---

def times(test, engine, time_name, words, sentence):
    start = time.time_ns()
    faults, ended = test.run(engine, "does-static hits 1", "-software-time", time_name,
                             prints="hits 1")
    if faults:
        return faults
    says = test.description()
    if (says["engine"], says["time"]) != (engine, time_name):
        faults.append("recording.json: %s" % says)
    if sentence not in ended.stderr:
        faults.append(ended.stderr)
    reader = harness.fxtdump.Reader(harness.fxtdump.load(test.trace))
    for _ in reader.events():
        pass
    names = list(reader.tname.values()) + list(reader.pname.values())
    if not any(words in n for n in names):
        faults.append("tracks: %s" % names)
    real = time_name == "real"
    # its clock may be slewed against ours
    if real != bool(reader.base) or (real and not start - 10**9 < reader.base[1] < time.time_ns()):
        faults.append("the trace's base is %s" % (reader.base,))
    return faults


def again(test, words, flags, runs):
    """Two runs, counted by instructions, are the same to the byte."""
    traces = set()
    for _ in range(runs):
        faults, _ = test.run("step", words, "-software-time", "instructions", *flags)
        if faults:
            return faults
        with open(test.trace, "rb") as f:
            traces.add(f.read())
    return [] if len(traces) == 1 else ["%d different traces in %d runs" % (len(traces), runs)]


def later(test, engine):
    """decode makes the same trace of what was kept, and of less of it with -filter."""
    faults, _ = test.run(engine, "does-static hits 3", "-filter", "before:after", prints="hits 3")
    if faults:
        return faults
    faults = test.count(before=3, handle=3, exit=0)
    with open(test.trace, "rb") as f:
        before = f.read()
    ended = harness.program(test.build, "decode", "-filter", "before:after", "-o", test.trace,
                            "-working-directory", test.kept)
    with open(test.trace, "rb") as f:
        if ended.status or f.read() != before:
            faults.append("decode: status %s, another trace: %s" % (ended.status, ended.stderr))
    return faults


# --- what cannot be ---

def without_qemu(test):
    """Single steps do, and that is said; with -software-engine qemu that is an error."""
    env = {"PATH": test.work, "MAGIC_TRACE_PERF_PATH": shutil.which("perf")}
    faults, ended = test.run("auto", "does-static hits 1", prints="hits 1", env=env)
    if not all(w in ended.stderr for w in ("warning", "single-stepped", "qemu-x86_64 in PATH",
                                           "[ Single steps:")):
        faults.append(ended.stderr)
    with test.recorder("qemu", "does-static hits 1", env=env) as r:
        ended = r.end()
        faults += r.left()
    if ended.status != 1 or ended.stdout or "qemu-user" not in ended.stderr:
        faults.append("status %s: %s" % (ended.status, ended.stderr))
    return faults


def cannot_run(test, name, said, engines=("qemu", "step", "auto")):
    """No engine can: said once, and nothing is left."""
    faults = []
    for engine in engines:
        with test.recorder(engine, name) as r:
            ended = r.end()
            faults += r.left()
        if ended.status != 1 or os.path.exists(test.trace):
            faults.append("%s: status %s" % (engine, ended.status))
        if said not in ended.stderr or ended.stderr.count("magic-trace:") != 1:
            faults.append("%s: %s" % (engine, ended.stderr))
    return faults


def other_machine(test):
    with open(test.programs.path("does-static"), "rb") as f:
        image = bytearray(f.read())
    image[18] = 183             # ELF: e_machine: EM_AARCH64
    path = test.programs.path("foreign")
    with open(path, "wb") as f:
        f.write(image)
    os.chmod(path, 0o755)
    return cannot_run(test, "foreign", "x86-64", ["qemu"]) + \
        cannot_run(test, "foreign", "no program for this machine", ["step", "auto"])


def small_words(test):
    """A 32-bit program: no engine records it."""
    source, program = os.path.join(test.work, "tiny.s"), test.programs.path("tiny")
    with open(source, "w", encoding="utf-8") as f:
        f.write(TINY)
    subprocess.run(["gcc", "-m32", "-nostdlib", "-static", "-o", program, source], check=True)
    faults = []
    for engine in ("qemu", "step", "auto"):
        with test.recorder(engine, "tiny") as r:
            ended = r.end()
            faults += r.left()
        # a kernel need not run it
        said = any(w in ended.stderr for w in ("64-bit", "no program for this machine"))
        if ended.status != 1 or os.path.exists(test.trace) or not said:
            faults.append("%s: status %s: %s" % (engine, ended.status, ended.stderr))
    return faults


def setuid(test):
    """It is stepped, with the rights that it has; QEMU does not start it."""
    path = test.programs.path("setuid")
    shutil.copy(test.programs.path("does-static"), path)
    os.chown(path, NOBODY, -1)
    os.chmod(path, 0o4755)
    faults, ended = test.run("auto", "setuid ids", prints="ids 0 %d" % NOBODY)
    if "is setuid" not in ended.stderr or "[ Single steps:" not in ended.stderr:
        faults.append(ended.stderr)
    with test.recorder("qemu", "setuid ids") as r:
        ended = r.end()
        faults += r.left()
    if ended.status != 1 or ended.stdout or "is setuid" not in ended.stderr:
        faults.append("status %s: %s" % (ended.status, ended.stderr))
    return faults


# --- programs of others ---

def files_in(directory):
    """What a program has left: names, and what is in them."""
    found = {}
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), "rb") as f:
            found[name] = f.read()
    return found


def alone(argv, place):
    """How a program ends without us, in a directory with a file; and the files that it leaves."""
    os.makedirs(place)
    with open(os.path.join(place, "numbers"), "w", encoding="utf-8") as f:
        f.writelines("%d\n" % i for i in range(3000))
    ended = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, cwd=place, text=True, check=False)
    return ended, files_in(place)


def has_main(trace):
    """An installed program may have no symbols; then it is who calls main that has one."""
    reader = harness.fxtdump.Reader(harness.fxtdump.load(trace))
    return any(name == "main" or name.startswith("__libc_start_main")
               for _, _, _, name, _, _ in reader.events())


def real(test, argv):
    """What it prints and how it ends is as without us; all is decoded."""
    place = os.path.join(test.work, "place")
    want, files = alone(argv, place)
    with harness.Recorder(test.build, test.work, "run", "-software", "-o", test.trace,
                          "-working-directory", test.kept, "-full-execution", "-multi-thread",
                          "--", *argv, cwd=place) as r:
        ended = r.end(600)
        faults = r.left()
    faults += test.judge(ended, "qemu", want.returncode, want.stdout.rstrip("\n"), read=False)
    if not set(want.stderr.splitlines()) <= set(ended.stderr.splitlines()):
        faults.append("its standard error: " + ended.stderr)
    if files_in(place) != files:
        faults.append("it left other files: %s" % os.listdir(place))
    if not faults and not has_main(test.trace):
        faults.append("there is no main")
    return faults or test.counted(ended)


def both(name, function, *args, **more):
    """The same test with both engines."""
    return [("%s, %s" % (name, engine), functools.partial(function, **more), engine, *args)
            for engine in SIGNS]


def only(engine, name, function, *args, **more):
    return [("%s, %s" % (name, engine), functools.partial(function, **more), engine, *args)]


def of_us(name, function, *args):
    """Each takes care of its engines itself."""
    return [(name, function, *args)]


QUICK = [
    *both("whole static-pie", whole, "static-pie"),
    *only("qemu", "whole static", whole, "static"),
    *only("qemu", "whole pie", whole, "pie"),
    *only("qemu", "whole no-pie", whole, "no-pie"),
    *only("qemu", "whole -full-execution", whole, "static", "-full-execution"),
    *only("qemu", "exception", exception),
    *both("jumps", jumps),
    *only("qemu", "segv", death, "segv", signal.SIGSEGV),
    *only("qemu", "abort", death, "abort", signal.SIGABRT),
    *only("qemu", "threads", threads, False),
    *both("threads -multi-thread", threads, True),
    *only("qemu", "exec", executes, "fibs-static 4"),
    *only("qemu", "exec a script", executes, "fibs.sh"),
    *only("qemu", "exec fails", cannot_execute),
    *only("qemu", "fork", forks, "fork", "child 3", child=0),
    *only("qemu", "vfork", forks, "vfork", "child 0"),
    *only("qemu", "system", forks, "system", "system 4, popen 0 told"),
    *only("step", "fork -follow-fork", forks, "fork", "child 3", "-follow-fork", child=1),
    *both("trigger", triggered, "does-static hits 3", "handle", "handle", "hits 3"),
    *only("qemu", "trigger at a line", at_line),
    *only("qemu", "trigger at an address", by_address),
    *only("qemu", "trigger in a thread", in_thread),
    *only("qemu", "trigger in another thread", never, "does-static thread-hits 2", "hits 2",
          "handle"),
    *only("qemu", "trigger in a library", triggered, "does-linked library", "in_library",
          "in_library", "library"),
    *only("qemu", "trigger in a library that is named", triggered, "does-linked library",
          "libcalled.so:in_library", "in_library", "library"),
    *only("qemu", "trigger in the C library", triggered, "does-pie threads", "libc.so.6:puts",
          "puts", "threads", shown={"worker": 1}),
    *only("qemu", "trigger of C++", triggered, "throws", "deep(int)", "deep",
          "throws 2 5", ends=0, shown={"main": 1}),
    *only("qemu", "trigger never hit", never, "does-static hits 2", "hits 2", "level"),
    *only("qemu", "trigger that is not there", wrong_trigger, "does-static hits 2", "handel",
          "did you mean handle"),
    *only("qemu", "trigger in a library that is not there", wrong_trigger, "does-pie hits 2",
          "libcalled.so:in_library", "libcalled.so"),
    *only("qemu", "-multi-snapshot", snapshots),
    *both("-multi-snapshot, every hit", every_hit),
    *only("qemu", "ring", ring, 20000),
    *both("SIGUSR2", asked),
    *only("qemu", "SIGUSR2 -multi-snapshot", asked_often),
    *only("qemu", "Ctrl-C", interrupted),
    *only("qemu", "-duration", duration),
    *only("qemu", "pipes", pipes),
    *only("qemu", "terminal", terminal),
    *only("qemu", "virtual", times, "virtual", "[virtual time]", "times are virtual"),
    *only("qemu", "real", times, "real", "[slowed time]", "slowed down many times"),
    *only("qemu", "instructions", times, "instructions", "[instruction time]",
          "times count instructions"),
    *of_us("the same again", again, "does-static threads", ["-multi-thread"], 2),
    *of_us("the same hit again", again, "does-static hits 3", ["-trigger", "handle"], 2),
    *only("qemu", "decoded later", later),
    *of_us("without QEMU", without_qemu),
    *of_us("not there", cannot_run, "nowhere", "there is no such program in PATH"),
    *of_us("a directory", cannot_run, "/", "cannot run /"),
    *of_us("not executable", cannot_run, "unexecutable", "Permission denied"),
    *of_us("a text", cannot_run, "text", "Exec format error"),
    *of_us("an interpreter that is missing", cannot_run, "lost.sh", "No such file or directory"),
    *of_us("other machine", other_machine),
    *of_us("32 bits", small_words),
]
LONG = [
    *only("step", "whole static", whole, "static"),
    *only("step", "whole pie", whole, "pie"),
    *only("step", "whole no-pie", whole, "no-pie"),
    *only("step", "exception", exception),
    *only("step", "segv", death, "segv", signal.SIGSEGV),
    *only("step", "abort", death, "abort", signal.SIGABRT),
    *only("step", "threads", threads, False),
    *only("step", "exec", executes, "fibs-static 4"),
    *only("step", "exec a script", executes, "fibs.sh"),
    *only("step", "exec fails", cannot_execute),
    *only("step", "fork", forks, "fork", "child 3", child=0),
    *only("step", "vfork", forks, "vfork", "child 0"),
    *only("step", "system", forks, "system", "system 4, popen 0 told"),
    *of_us("vfork -follow-fork", follows_all, "vfork", "child 0", 2),
    *of_us("system -follow-fork", follows_all, "system", "system 4, popen 0 told", 3),
    *only("step", "trigger at a line", at_line),
    *only("step", "trigger at an address", by_address),
    *only("step", "trigger in a thread", in_thread),
    *only("step", "trigger in another thread", never, "does-static thread-hits 2", "hits 2",
          "handle"),
    *only("step", "trigger in a library", triggered, "does-linked library",
          "libcalled.so:in_library", "in_library", "library"),
    *only("step", "trigger in the C library", triggered, "does-pie threads", "libc.so.6:puts",
          "puts", "threads", shown={"worker": 1}),
    *only("step", "trigger of C++", triggered, "throws", "deep(int)", "deep",
          "throws 2 5", ends=0, shown={"main": 1}),
    *only("step", "trigger never hit", never, "does-static hits 2", "hits 2", "level"),
    *only("step", "trigger that is not there", wrong_trigger, "does-static hits 2", "handel",
          "did you mean handle"),
    *only("step", "-multi-snapshot", snapshots),
    *only("step", "ring", ring, 20000),
    *only("step", "SIGUSR2 -multi-snapshot", asked_often),
    *only("step", "Ctrl-C", interrupted),
    *only("step", "-duration", duration),
    *only("step", "pipes", pipes),
    *only("step", "terminal", terminal),
    *only("step", "real", times, "real", "[slowed time]", "slowed down many times"),
    *only("step", "virtual", times, "virtual", "[virtual time]", "times are virtual"),
    *only("step", "instructions", times, "instructions", "[instruction time]",
          "times count instructions"),
    *only("step", "decoded later", later),
    *of_us("threads, the same 20 times", again, "does-static threads", ["-multi-thread"], 20),
    *of_us("jumps, the same 20 times", again, "does-static jumps", [], 20),
    *of_us("fork, the same 20 times", again, "does-static fork", ["-follow-fork"], 20),
]
REAL = [
    ["xz", "-0", "-T2", "-kf", "numbers"],
    ["git", "-C", harness.TOP, "log", "-1"],
    ["bash", "-c", "ls | sort"],
    ["perl", "-e", "print join(',', map { $_ * 2 } 1 .. 50), \"\\n\"; exit 4"],
    # what is in PATH may be a script that looks for another
    [os.path.realpath(sys.executable), "-S", "-E", "-s", "-c", "print(sum(range(1000)))"],
]


def cannot_test():
    """Why nothing can be tested; None."""
    if not all(map(shutil.which, ("qemu-x86_64", "perf", "gcc", "g++", "nm"))):
        return "qemu-x86_64, perf, gcc or g++ is not installed"
    return None


def may_trace(build, programs):
    """Why nothing can be stepped; None."""
    ended = harness.program(build, "run", "-software", "-software-engine", "step", "-o",
                            programs.path("trial.fxt"), programs.path("does-static"))
    return ended.stderr.replace("\n", " ") if "ptrace(2)" in ended.stderr else None


def main():
    report = harness.Report("e2e/software-run")
    build = harness.build_dir()
    why = cannot_test()
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        programs = Programs(work)
        why = may_trace(build, programs)
        if why:
            report.skip("all", why)
            report.exit()
        tests = [(name, function, Test(build, programs), *args)
                 for name, function, *args in QUICK + (LONG if harness.LONG else [])]
        if os.geteuid() == 0 and not os.statvfs(work).f_flag & os.ST_NOSUID:
            tests.append(("setuid", setuid, Test(build, programs)))
        else:
            report.skip("setuid", "not root, or a file system without setuid")
        for argv in REAL if harness.LONG else []:
            name = os.path.basename(argv[0])
            if shutil.which(argv[0]):
                tests.append((name, real, Test(build, programs), argv))
            else:
                report.skip(name, "it is not installed")
        harness.check_all(report, tests, 2)
    report.exit()


if __name__ == "__main__":
    main()
