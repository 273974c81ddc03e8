#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""-trigger: the snapshot is taken when the function is called, and what is said of the call is so.

tests/e2e/targets/caller.c prints where its functions are, and between which times which thread
called one with which values; that is the truth here.
"""
import collections
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402

BUSY = "3000"                   # us before each call
# By how much a hit and the program's own clock may differ, ns: perf's clock is measured against the
# other, which goes on being slewed. A call is three times as far from the next one.
CLOCKS = 1_000_000
STOP = "magic_trace_stop_indicator"

Call = collections.namedtuple("Call", "tid number started started_too before after")


class Said:
    """What the program says of itself."""

    def __init__(self, text):
        self.addresses, self.calls, self.other = {}, {}, []
        for line in text.splitlines():
            words = line.split()
            if words[0] == "address":
                self.addresses[words[1]] = int(words[2], 16)
            elif words[0] == "call":
                call = Call(*map(int, words[1:]))
                self.calls[call.number] = call
            else:
                self.other.append(line)


class Programs:
    """The program, built in several ways."""

    KINDS = {
        "pie": ["-fPIE", "-pie", "library.c"],
        "no-pie": ["-fno-pie", "-no-pie", "library.c"],
        "static": ["-static", "library.c"],
        "static-pie": ["-static-pie", "-fPIE", "library.c"],
        "linked": ["-L{work}", "-lcalled", "-Wl,-rpath,{work}"],
        "opened": ["-DOPENED=\"{work}/libcalled.so\""],
    }

    def __init__(self, work):
        self.work = work
        harness.compile_target(work, "library.c", "-shared", "-fPIC", out="libcalled.so")
        for kind, flags in self.KINDS.items():
            harness.compile_target(work, "caller.c", "-O1", "-g",
                                   *[f.format(work=work) for f in flags], out=kind)
        self.till = harness.compile_target(work, "till.cc", "-O1", compiler="g++")

    def get(self, kind):
        return os.path.join(self.work, kind)


class Test:
    """One recording."""

    def __init__(self, build, programs):
        self.build, self.programs = build, programs
        self.work = tempfile.mkdtemp(dir=programs.work)
        self.path = os.path.join(self.work, "trace.fxt")
        self.kept = os.path.join(self.work, "kept")
        self.stderr = ""

    def recorder(self, command, flags, *rest, **more):
        return harness.Recorder(self.build, self.work, command, "-sampling", "-callgraph-mode",
                                "fp", "-o", self.path, "-working-directory", self.kept, *flags,
                                *rest, **more)

    def run(self, flags, program, *target, expected=0, env=None):
        """magic-trace run to its end: faults, how it ended, what the program said."""
        with self.recorder("run", flags, program, "--", *target, env=env) as r:
            ended = r.end()
            faults = r.left()
        if expected == 0 and ") exited with status 0." not in ended.stderr:
            faults.append("the program ended otherwise: " + ended.stderr)
        return faults + self.status(ended, expected), ended, Said(ended.stdout)

    def status(self, ended, expected):
        self.stderr, faults = ended.stderr, []
        if ended.status != expected:
            faults.append("exit status %s: %s" % (ended.status, ended.stderr))
        if os.path.exists(self.path) != (expected == 0):
            faults.append("trace %s: %s" % ("there" if expected else "missing", ended.stderr))
        return faults

    def hits(self):
        """Those of recording.json, with times in ns since 1970."""
        with open(os.path.join(self.kept, "recording.json"), encoding="utf-8") as f:
            says = json.load(f)
        hits = []
        for hit in says["hits"]:
            hit = dict(hit, time=hit["time"] + says["wall_clock"], arg=int(hit["arg"], 16),
                       ip=int(hit["ip"], 16))
            if "passed" in hit:
                hit["passed"] += says["wall_clock"]
            hits.append(hit)
        return hits

    def agrees(self, said, symbol, address, calls=None, several=False):
        """The recording's hits, and those of the trace, against what the program said."""
        faults = harness.check_trace(self.path)
        hits = self.hits()
        if not hits:
            return faults + ["there is no hit: " + self.stderr]
        for hit in hits:
            faults += hit_agrees(hit, said, symbol, address)
        args, expected = [hit["arg"] for hit in hits], calls or [1]
        # several threads' breakpoints are switched off by us: there may be more calls before
        if args != expected and not (several and args[:len(expected)] == expected):
            faults.append("the hits passed %s, expected %s" % (args, expected))
        return faults or self.trace_agrees(hits, symbol)

    def trace_agrees(self, hits, symbol):
        """A span for each hit, and before the first what led to it."""
        base = base_of(self.path)
        shown = [e for e in fxt.read(self.path) if e.name == "hit " + symbol]
        faults = ["%s is shown as %s" % (hit, event) for hit, event in zip(hits, shown)
                  if event.end + base != hit["time"] or event.args["tid"] != hit["tid"] or
                  event.args["ip"] != hex(hit["ip"]) or
                  event.args.get("arg", hit["arg"]) != hit["arg"]]
        if len(shown) != len(hits):
            faults.append("the trace has %d hits of %d" % (len(shown), len(hits)))
        before = [s for s in fxt.spans(fxt.read(self.path)) if s.name == "be_busy" and
                  s.track.endswith("/%d" % hits[0]["tid"]) and s.start + base < hits[0]["time"]]
        if not before:
            faults.append("the trace does not show what the thread did before the hit")
        return faults


def base_of(path):
    """What time 0 of the trace is, ns since 1970."""
    reader = harness.fxtdump.Reader(harness.fxtdump.load(path))
    for _ in reader.events():
        pass
    return reader.base[1]


def hit_agrees(hit, said, symbol, address):
    call = said.calls.get(hit["arg"])
    if not call:
        return ["%s: the program has not made such a call" % hit]
    faults = []
    if hit["tid"] != call.tid or hit["ip"] != address or hit["symbol"] != symbol:
        faults.append("%s, expected %s %s %x" % (hit, call, symbol, address))
    if not call.before - CLOCKS <= hit["time"] <= call.after + CLOCKS:
        faults.append("the hit was at %d, the call %d to %d" %
                      (hit["time"], call.before, call.after))
    if symbol == STOP and not (call.started - CLOCKS <= hit.get("passed", 0) <=
                               call.started_too + CLOCKS):
        faults.append("the time %s was passed, not %d to %d" %
                      (hit.get("passed"), call.started, call.started_too))
    return faults


def run_kind(test, kind, function, symbol, trigger=None):
    """magic-trace run with a trigger on what is called."""
    faults, _, said = test.run(["-trigger", trigger or symbol], test.programs.get(kind), function,
                               "3", BUSY)
    return faults or test.agrees(said, symbol, said.addresses[symbol])


def run_thread(test):
    """In a thread that is started later than everything."""
    faults, _, said = test.run(["-trigger", ".", "-multi-thread"], test.programs.get("pie"),
                               "stop", "3", BUSY, "thread")
    if any(call.tid == said.calls[2].tid - 1 for call in said.calls.values()):
        faults.append("the program called in its first thread")
    return faults or test.agrees(said, STOP, said.addresses[STOP], several=True)


class Attached:
    """A program that runs already: started, and waiting for a line before it calls."""

    def __init__(self, program, *target):
        self.process = subprocess.Popen([program, *target], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.out = harness.Lines(self.process.stdout)
        self.out.wait("ready")
        self.said = Said("\n".join(self.out.lines))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    def tell(self, lines=1):
        self.process.stdin.write(b"go\n" * lines)
        self.process.stdin.flush()

    def end(self):
        """Its end: faults, what it said."""
        self.process.stdin.close()
        status = self.process.wait(60)
        faults = [] if status == 0 else ["the program ended with %s" % status]
        return faults, Said("\n".join(self.out.rest()))


def attach_kind(test, kind, function, symbol, trigger=None, flags=(), words=()):
    """magic-trace attach with a trigger; the program runs on unharmed."""
    with Attached(test.programs.get(kind), function, "3", BUSY, "wait", *words) as program:
        trigger = trigger(program.said) if callable(trigger) else trigger or symbol
        with test.recorder("attach", ["-trigger", trigger, *flags], "-pid",
                           str(program.pid)) as r:
            r.ready()
            program.tell()
            ended = r.end()
            faults = r.left() + test.status(ended, 0)
        more, said = program.end()
    faults += more
    if len(said.calls) != 3:
        faults.append("the program made %d calls" % len(said.calls))
    if faults:
        return faults
    name = symbol if not trigger.startswith("addr:") else trigger[len("addr:"):]
    return test.agrees(said, name, said.addresses[symbol], several="-multi-thread" in flags)


def run_line(test):
    """FILE:LINE; addr2line says which line the address is of."""
    source = os.path.join(HERE, "targets", "caller.c")
    with open(source, encoding="utf-8") as f:
        number = next(i for i, line in enumerate(f, 1) if "/* the line */" in line)
    program, selection = test.programs.get("no-pie"), "caller.c:%d" % number
    faults, _, said = test.run(["-trigger", selection], program, "handle", "3", BUSY)
    if faults:
        return faults
    hit = test.hits()[0]
    line = subprocess.run(["addr2line", "-e", program, hex(hit["ip"])], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    if not re.search(r"/caller\.c:%d\b" % number, line):
        faults.append("%x is %s" % (hit["ip"], line))
    call = said.calls[1]
    if not call.before - CLOCKS <= hit["time"] <= call.after + CLOCKS or hit["tid"] != call.tid:
        faults.append("%s, expected %s" % (hit, call))
    return faults


def run_address(test):
    """An address, as nm has it for a program that is not position independent."""
    program = test.programs.get("no-pie")
    names = subprocess.run(["nm", program], stdout=subprocess.PIPE, check=True).stdout.decode()
    address = re.search(r"^0*([0-9a-f]+) T handle$", names, re.M).group(1)
    faults, _, said = test.run(["-trigger", "0x" + address], program, "handle", "3", BUSY)
    return faults or test.agrees(said, "0x" + address, int(address, 16))


def run_mangled(test, trigger):
    """A method of C++, by its name as it is written."""
    faults, _, said = test.run(["-trigger", trigger], test.programs.till)
    if faults:
        return faults
    hits = [(h["ip"], h["arg"]) for h in test.hits()]
    # a method's first argument is the object, its second what was passed
    return [] if hits == [(said.addresses["add"], 0)] else ["the hits are %s" % hits]


def five_snapshots(test):
    """-multi-snapshot: a file for each hit, and one trace of all."""
    with Attached(test.programs.get("pie"), "stop", "5", BUSY, "ask") as program:
        with test.recorder("attach", ["-trigger", ".", "-multi-snapshot"], "-pid",
                           str(program.pid)) as r:
            r.ready()
            for i in range(5):
                program.tell()
                if not r.err.wait("[ Snapshot taken. ]", i + 1):
                    break
            # by itself: the program ends
            more, said = program.end()
            ended = r.end()
            faults = r.left() + test.status(ended, 0) + more
    if faults:
        return faults
    files = [name for name in os.listdir(test.kept) if name.startswith("perf.data")]
    if len(files) != 5:
        faults.append("the files are %s" % files)
    return faults + test.agrees(said, STOP, said.addresses[STOP], [1, 2, 3, 4, 5])


def hot(test, *flags, thread=False):
    """A function that is called all the time: the program is not held up, its result is right."""
    count = 5_000_000
    faults, _, said = test.run(["-trigger", "hot", *flags], test.programs.get("pie"), "hot",
                               str(count), "0", *(["thread"] if thread else []))
    if said.other != ["ready", "sum %d" % (count * (count + 1) // 2)]:
        faults.append("the program said %s" % said.other)
    if faults:
        return faults
    hits = test.hits()
    first = 1 if not thread else None
    if not hits or hits[0]["arg"] != (first or hits[0]["arg"]) or hits[0]["symbol"] != "hot":
        faults.append("the hits are %s" % hits)
    return faults


def last_of_all(test, *flags):
    """A call directly before the program's end is not missed."""
    faults, ended, said = test.run(["-trigger", "handle", *flags], test.programs.get("pie"),
                                   "leave", "1", BUSY)
    if faults:
        return faults
    tids = [int(line.split()[1]) for line in said.other if line.startswith("leaves ")]
    hits = [(h["tid"], h["arg"], h["ip"]) for h in test.hits()]
    if hits != [(tid, 1, said.addresses["handle"]) for tid in tids]:
        faults.append("the hits are %s, the program called in %s" % (hits, tids))
    if "was not called" in ended.stderr or "[ Snapshot taken. ]" not in ended.stderr:
        faults.append(ended.stderr)
    return faults + harness.check_trace(test.path)


def never_run(test):
    """The program ends without a call: its end is the snapshot, and that is said."""
    faults, ended, _ = test.run(["-trigger", "handle_never"], test.programs.get("pie"), "handle",
                                "3", BUSY)
    if "handle_never was not called" not in ended.stderr:
        faults.append(ended.stderr)
    return faults + (test.hits() if not faults else [])


def never_attach(test, flags, words, hint):
    """Ctrl+C while a trigger is waited for: no trace, and what to do."""
    with Attached(test.programs.get("pie"), "handle", "2", BUSY, "wait", "ask", *words) as program:
        with test.recorder("attach", ["-trigger", "handle", *flags], "-pid",
                           str(program.pid)) as r:
            r.ready()
            if words:
                program.tell(2)         # one call, in a thread that is not watched
                program.out.wait("call ")
            r.signal(signal.SIGINT)
            ended = r.end()
            faults = r.left() + test.status(ended, 1)
        program.tell(3)
        more, _ = program.end()
    if "handle was not called" not in ended.stderr or hint not in ended.stderr:
        faults.append(ended.stderr)
    return faults + more


def asked_by_signal(test):
    """SIGUSR2 takes a snapshot although the trigger was not hit."""
    with Attached(test.programs.get("pie"), "handle", "2", BUSY, "wait") as program:
        with test.recorder("attach", ["-trigger", "handle_never"], "-pid",
                           str(program.pid)) as r:
            r.ready()
            program.tell()
            program.out.wait("call ")
            r.signal(signal.SIGUSR2)
            ended = r.end()
            faults = r.left() + test.status(ended, 0)
        more, _ = program.end()
    if "[ Snapshot taken. ]" not in ended.stderr:
        faults.append(ended.stderr)
    return faults + more + ([] if faults else harness.check_trace(test.path) + test.hits())


def asked_by_program(test):
    """The traced program asks by a signal (magic_trace_request_snapshot): that is the end."""
    with test.recorder("run", [], test.programs.get("pie"), "--", "request", "2", BUSY, "ask",
                       stdin=subprocess.PIPE) as r:
        r.process.stdin.write(b"go\n")
        r.process.stdin.flush()
        taken = r.err.wait("[ Snapshot taken. ]")
        now = time.time_ns()
        r.process.stdin.write(b"go\n")
        r.process.stdin.close()
        ended = r.end()
        faults = r.left() + test.status(ended, 0)
    said = Said(ended.stdout)
    if not taken or said.other.count("requested 0") != 2:
        faults.append("the program said %s; %s" % (said.other, ended.stderr))
    if faults:
        return faults
    last = base_of(test.path) + max(e.time for e in fxt.read(test.path))
    if last > now + CLOCKS:
        faults.append("the trace goes on to %d, the snapshot was taken before %d" % (last, now))
    return faults


def executes_itself(test):
    """The program executes itself: the trigger is found again, at another address."""
    program = test.programs.get("pie")
    with test.recorder("run", ["-trigger", "handle"], program, "--", "exec", program, "handle",
                       "3", BUSY, "ask", stdin=subprocess.PIPE) as r:
        r.ready()
        r.err.wait("[ Attaching to handle ", 2)
        r.process.stdin.write(b"go\n" * 3)
        r.process.stdin.close()
        ended = r.end()
        faults = r.left() + test.status(ended, 0)
    said = Said(ended.stdout)
    return faults or test.agrees(said, "handle", said.addresses["handle"])


def executes_another(test):
    """The program executes one that has no such function: the trigger is said to be lost."""
    with test.recorder("run", ["-trigger", "handle"], test.programs.get("pie"), "--", "exec",
                       shutil.which("cat"), stdin=subprocess.PIPE) as r:
        r.ready()
        lost = r.err.wait("executed another program: the trigger is lost")
        r.process.stdin.close()
        ended = r.end()
        faults = r.left() + test.status(ended, 0)
    if not lost or "handle was not called" not in ended.stderr:
        faults.append(ended.stderr)
    return faults


def refused(test, kind, trigger, words, *target):
    """A trigger that is not there, or not one: nothing is run, and what is meant may be is said."""
    faults, ended, said = test.run(["-trigger", trigger], test.programs.get(kind),
                                   *(target or ("handle", "1", "0")), expected=1)
    faults += ["%r is not said: %s" % (w, ended.stderr) for w in words if w not in ended.stderr]
    if said.other:
        faults.append("the program was run: %s" % said.other)
    return faults


def refused_overload(test):
    faults, ended, said = test.run(["-trigger", "shop::Till::add"], test.programs.till,
                                   expected=1)
    faults += ["%r is not said: %s" % (w, ended.stderr)
               for w in ("add(long)", "add(char const*)") if w not in ended.stderr]
    return faults + (["the program was run"] if said.addresses else [])


def chosen(test):
    """-trigger ?: fzf is asked on the terminal; a script stands in for it, for whoever would type.

    It keeps the list, and chooses "handle".
    """
    where = os.path.join(test.work, "bin")
    os.mkdir(where)
    fzf, shown = os.path.join(where, "fzf"), os.path.join(test.work, "list")
    with open(fzf, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\ntee '%s' | grep -x handle\n" % shown)
    os.chmod(fzf, 0o755)
    program = test.programs.get("pie")
    ours, terminal = pty.openpty()
    with test.recorder("run", ["-trigger", "?"], program, "--", "handle", "3", BUSY,
                       env={"PATH": where + ":" + os.environ["PATH"]}, pass_fds=[terminal],
                       preexec_fn=lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)) as r:
        ended = r.end()
        faults = r.left() + test.status(ended, 0)
    os.close(terminal)
    os.close(ours)
    if faults:
        return faults
    said = Said(ended.stdout)
    symbols = subprocess.run(["nm", "-f", "posix", program], stdout=subprocess.PIPE, check=True)
    functions = {line.split()[0] for line in symbols.stdout.decode().splitlines()
                 if line.split()[1] in "tT" and line.split()[-1] != "0"}
    with open(shown, encoding="utf-8") as f:
        listed = f.read().splitlines()
    missing = {"main", "handle", "hot", "twin"} - set(listed)
    if missing or not set(listed) <= functions | {STOP, "_start", "_init", "_fini"}:
        faults.append("the list is %s" % listed)
    return faults + test.agrees(said, "handle", said.addresses["handle"])


TESTS = [
    ("run pie", run_kind, "pie", "handle", "handle"),
    ("run no-pie", run_kind, "no-pie", "handle", "handle"),
    ("run static", run_kind, "static", "handle", "handle"),
    ("run static-pie", run_kind, "static-pie", "handle", "handle"),
    ("run .", run_kind, "pie", "stop", STOP, "."),
    ("run . static", run_kind, "static", "stop", STOP, "."),
    ("run library", run_kind, "linked", "library", "in_library"),
    ("run library named", run_kind, "linked", "library", "in_library", "libcalled.so:in_library"),
    ("run thread", run_thread),
    ("run line", run_line),
    ("run address", run_address),
    ("run mangled", run_mangled, "shop::Till::add(long)"),
    ("attach .", attach_kind, "pie", "stop", STOP, "."),
    ("attach thread", attach_kind, "pie", "stop", STOP, ".", ["-multi-thread"], ["thread"]),
    ("attach library", attach_kind, "linked", "library", "in_library"),
    ("attach library opened", attach_kind, "opened", "library", "in_library",
     "libcalled.so:in_library"),
    ("attach address", attach_kind, "pie", "handle", "handle",
     lambda said: "addr:%#x" % said.addresses["handle"]),
    ("five snapshots", five_snapshots),
    ("hot", hot),
    ("hot thread", lambda t: hot(t, "-multi-thread", thread=True)),
    ("hot snapshots", lambda t: hot(t, "-multi-thread", "-multi-snapshot", thread=True)),
    ("last of all", last_of_all),
    ("last of all, several snapshots", last_of_all, "-multi-snapshot"),
    ("last of all, threads", last_of_all, "-multi-thread"),
    ("never run", never_run),
    ("never attach", never_attach, [], [], "kill -USR2"),
    ("never attach thread", never_attach, [], ["thread"], "-multi-thread"),
    ("asked by signal", asked_by_signal),
    ("asked by program", asked_by_program),
    ("executes itself", executes_itself),
    ("executes another", executes_another),
    ("wrong symbol", refused, "pie", "handel", ["handel", "did you mean handle"]),
    ("ambiguous", refused, "pie", "twin", ["caller.c:", "library.c:", "ambiguous"]),
    ("ambiguous overload", refused_overload),
    ("library not loaded", refused, "opened", "in_library", ["in_library"]),
    ("chosen", chosen),
]


def cannot_test(work):
    """Why nothing can be tested; None."""
    if not all(map(shutil.which, ("perf", "gcc", "g++", "nm", "addr2line"))):
        return "perf, gcc or binutils are not installed"
    for event in ("cpu-clock:u", "mem:%#x:x" % 0x1000):
        p = subprocess.run(["perf", "record", "-o", os.path.join(work, "try"), "-e", event, "true"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if p.returncode:
            return "perf record -e %s: %s" % (event, p.stdout.decode().strip()[-200:])
    return None


def main():
    report = harness.Report("e2e/triggers")
    build = harness.build_dir()
    with tempfile.TemporaryDirectory() as work:
        why = cannot_test(work)
        if why:
            report.skip("all", why.replace("\n", " "))
            report.exit()
        programs = Programs(work)
        harness.check_all(report, [(name, function, Test(build, programs), *args)
                                   for name, function, *args in TESTS], 4)
    report.exit()


if __name__ == "__main__":
    main()
