#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run and attach with sampled stacks: the trace shows what the program says that it did.

tests/e2e/targets/shares.c prints when each of its functions began and ended; that is the truth
here.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import fxt                      # noqa: E402

# Each function of the program with those that call it.
CALLERS = {
    "long_turn": {"below"}, "medium_turn": {"below"}, "short_turn": {"below"},
    "kernel_turn": {"below"}, "below": {"take_turn", "recurse"},
    "recurse": {"take_turn", "recurse"}, "take_turn": {"turns"}, "turns": {"work"},
}
LEAVES = ("long_turn", "medium_turn", "short_turn", "kernel_turn")
NORMAL_PERIOD = 100_000         # ns between samples

Turn = collections.namedtuple("Turn", "function begin end cpu")


class Said:
    """What the program says of itself."""

    def __init__(self, text):
        self.comms, self.turns = {}, collections.defaultdict(list)
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "thread":
                tid, comm = rest.split(" ", 1)
                self.comms[int(tid)] = comm
            elif kind == "turn":
                tid, function, *numbers = rest.split()
                self.turns[int(tid)].append(Turn(function, *map(int, numbers)))


class Trace:
    def __init__(self, path):
        reader = harness.fxtdump.Reader(harness.fxtdump.load(path))
        keys = {event[2] for event in reader.events()}
        self.base = reader.base[1] if reader.base else None
        self.names = {(reader.pname.get(p), reader.tname.get(t)) for p, t in keys}
        self.tracks = collections.defaultdict(list)
        for span in sorted(fxt.spans(fxt.read(path)), key=lambda s: (s.start, s.depth)):
            self.tracks[span.track].append(span)

    def window(self, track):
        """What the track covers, ns since 1970."""
        spans = self.tracks[track]
        return (self.base + min(s.start for s in spans),
                self.base + max(s.start + s.length for s in spans))

    def turns(self, track):
        """The spans of the functions in which time is spent: name, begin, end."""
        return [(s.name, self.base + s.start, self.base + s.start + s.length)
                for s in self.tracks[track] if s.name in LEAVES]


def with_parents(spans):
    """Each span of a track with the name of the one that it is in, None for an outermost one."""
    stack = []
    for span in spans:
        del stack[span.depth:]
        yield span, stack[-1].name if stack else None
        stack.append(span)


def nesting(trace, track):
    """Less than one in twenty of the calls has another caller than it can have.

    (A sample in the first instructions of a function, before it has a frame, has no caller by frame
    pointers: it was called by its caller's caller then.)
    """
    calls, wrong = 0, []
    for span, parent in with_parents(trace.tracks[track]):
        if span.name in CALLERS:
            calls += 1
            if parent not in CALLERS[span.name]:
                wrong.append("%s: %s is below %s" % (track, span.name, parent))
    if not calls:
        return ["%s has no function of the program" % track]
    return wrong if len(wrong) * 20 > calls else []


def shown_most(spans, turn):
    """The function that the trace shows for more than half of a turn."""
    time = collections.Counter()
    for name, begin, end in spans:
        time[name] += max(0, min(end, turn.end) - max(begin, turn.begin))
    return next((name for name, ns in time.items() if 2 * ns > turn.end - turn.begin), None)


def timeline(trace, track, turns, window, least):
    """At nine of ten turns the trace shows the function whose turn it was.

    A turn is ten samples at least. The thread may have to wait for a CPU in its last 100 us, which
    the trace then shows as the time of this function, although the next one began before.
    """
    spans = trace.turns(track)
    inside = [t for t in turns if window[0] <= t.begin and t.end <= window[1]]
    wrong = ["%s: the program was in %s for %d us from %d, the trace shows %s" %
             (track, t.function, (t.end - t.begin) // 1000, t.begin, shown_most(spans, t))
             for t in inside if shown_most(spans, t) != t.function]
    if len(inside) < least:
        return ["%s: only %d turns of %d are in the trace" % (track, len(inside), len(turns))]
    return wrong if len(wrong) * 10 > max(len(inside), 10) else []


def shares(trace, track, turns):
    """The functions' shares of the CPU time are those of the trace.

    The trace shows by whom time passed, also when the thread had no CPU: the shares can differ by
    the part of the time in which it had none, and by a sample at each end of a turn.
    """
    begin, end = trace.window(track)
    inside = [t for t in turns if begin <= t.begin and t.end <= end]
    wall = sum(t.end - t.begin for t in inside)
    cpu = sum(t.cpu for t in inside)
    shown = collections.Counter()
    for name, first, last in trace.turns(track):
        shown[name] += last - first
    allowed = 0.05 + 2 * NORMAL_PERIOD * len(inside) / wall + max(0, 1 - cpu / wall)
    wrong = []
    for name in {t.function for t in inside}:
        said = sum(t.cpu for t in inside if t.function == name) / cpu
        seen = shown[name] / sum(shown.values())
        if abs(said - seen) > allowed:
            wrong.append("%s: %s has %.3f of the time, and says %.3f (%.3f allowed)" %
                         (track, name, seen, said, allowed))
    return wrong


def agrees(path, pid, command, said, window=None, comms_by_chance=False,
           least=10):
    """A trace against what the program says: tracks, names, nesting, times, shares.

    comms_by_chance: threads other than the first may have started and ended while nobody looked.
    """
    faults = harness.check_trace(path)
    if faults:
        return faults
    trace = Trace(path)
    if trace.base is None:
        return ["the trace does not say what time it was"]
    for tid, comm in said.comms.items():
        process = "%s [pid=%d]" % (command, pid)
        names = ["%s [tid=%d]" % (comm, tid)]
        if comms_by_chance and tid != pid:
            names.append("[tid=%d]" % tid)
        track = "%d/%d" % (pid, tid)
        if track not in trace.tracks or not trace.names & {(process, name) for name in names}:
            faults.append("no track %s %s, but %s" % (process, names, trace.names))
            continue
        faults += nesting(trace, track)
        faults += timeline(trace, track, said.turns[tid], window or trace.window(track), least)
        faults += shares(trace, track, said.turns[tid])
    return faults


def wrapped(path, pid, said):
    """What speaks against a ring that has been written over."""
    trace = Trace(path)
    first = trace.window("%d/%d" % (pid, pid))[0]
    if first < said.turns[pid][0].end:
        return ["the ring holds all from the beginning: this tests nothing"]
    return []


class Test:
    """One recording of the program."""

    def __init__(self, build, work, target):
        self.build, self.work, self.target = build, tempfile.mkdtemp(dir=work), target
        self.path = os.path.join(self.work, "trace.fxt")

    def argv(self, flags):
        return ["-sampling", "-o", self.path, *flags]

    def run(self, flags, target, expected=0):
        """magic-trace run; the faults, how it ended, what the program said, its pid."""
        self.command = " ".join([self.target, *target])
        with harness.Recorder(self.build, self.work, "run", *self.argv(flags), self.target, "--",
                              *target) as r:
            ready = re.fullmatch(r"recording (\d+)\n", r.ready())
            ended = r.end()
            faults = r.left()
        if ended.status != expected or not ready:
            faults.append("exit status %s, ready %s: %s" % (ended.status, ready, ended.stderr))
            return faults, ended, None, 0
        return faults, ended, Said(ended.stdout), int(ready.group(1))

    def target_started(self, *target):
        self.command = " ".join([self.target, *target])
        program = subprocess.Popen([self.target, *target], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        program.stdout.readline()
        return program


def program_ended(program):
    """Lets a program that was attached to end: what it says, and what is wrong with that."""
    out, _ = program.communicate(b"x", timeout=60)
    faults = [] if program.returncode == 0 else ["the program ended by %d" % program.returncode]
    return faults, Said(out.decode())


def run_everything(test, mode):
    faults, ended, said, pid = test.run(["-callgraph-mode", mode, "-full-execution",
                                         "-snapshot-size", "1M"], ["20", "1"])
    if "-snapshot-size is for Intel PT, and ignored" not in ended.stderr:
        faults.append("-snapshot-size: " + ended.stderr)
    if faults:
        return faults
    faults = agrees(test.path, pid, test.command, said)
    first, last = Trace(test.path).window("%d/%d" % (pid, pid))
    # at its end it may have had to wait for a CPU
    if said.turns[pid][0].begin < first or said.turns[pid][-3].begin > last:
        faults.append("the trace is from %d to %d, the turns from %d to %d" %
                      (first, last, said.turns[pid][0].begin, said.turns[pid][-1].end))
    return faults


def run_threads(test, mode, *flags):
    """All threads. There is a ring for each CPU: where one reaches further back than the other, a
    thread that has moved lacks what the other one had. Those of fp are not filled here."""
    faults, _, said, pid = test.run(["-callgraph-mode", mode, "-multi-thread", *flags],
                                    ["20", "3"])
    return faults or agrees(test.path, pid, test.command, said, comms_by_chance=True)


def command_line_of(pid):
    with open("/proc/%d/cmdline" % pid, encoding="utf-8") as f:
        return " ".join(f.read().split("\0")[:-1])


def comms_of(pid):
    comms = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/comm" % (pid, tid), encoding="utf-8") as f:
            comms[int(tid)] = f.read()[:-1]
    return comms


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(": ", 1)[1][:-1] for line in f if line.startswith("model name")),
                    None)


def described(directory, pid, facts):
    """recording.json against what is known otherwise."""
    with open(os.path.join(directory, "recording.json"), encoding="utf-8") as f:
        says = json.load(f)
    version = subprocess.run(["perf", "version"], stdout=subprocess.PIPE, check=True).stdout
    facts = dict(facts, version=1, mode="sampling", scope="u", kernel=os.uname().release,
                 cpu=cpu_model(), perf_version=version.decode().split()[-1], part=False, hits=[])
    comms = facts.pop("comms")
    faults = ["%s: %r, expected %r" % (k, says.get(k), v) for k, v in facts.items()
              if k != "command_line" and says.get(k) != v]
    process = [p for p in says["processes"] if p["pid"] == pid]
    if len(process) != 1 or process[0]["command_line"] != facts["command_line"]:
        return faults + ["process %d: %s" % (pid, says["processes"])]
    threads = {t["tid"]: t["comm"] for t in process[0]["threads"]}
    if threads != comms:
        faults.append("threads %s, expected %s" % (threads, comms))
    return faults


def decoded_again(test, directory):
    """`decode -working-directory` makes the same bytes of what was kept, and changes nothing."""
    again = os.path.join(test.work, "again.fxt")
    before = sorted(os.listdir(directory))
    ended = harness.program(test.build, "decode", "-working-directory", directory, "-o", again,
                            cwd="/")
    if ended.status != 0:
        return ["decode: exit status %s: %s" % (ended.status, ended.stderr)]
    faults = [] if sorted(os.listdir(directory)) == before else ["decode changed the directory"]
    with open(test.path, "rb") as one, open(again, "rb") as two:
        if one.read() != two.read():
            faults.append("decode -working-directory makes another trace")
    return faults


def run_ring(test):
    """What the program did last, although the ring was written over and the program has ended."""
    kept = os.path.join(test.work, "kept")
    faults, _, said, pid = test.run(["-callgraph-mode", "dwarf", "-working-directory", kept],
                                    ["80", "1"])
    if faults:
        return faults
    faults = agrees(test.path, pid, test.command, said) + wrapped(test.path, pid, said)
    faults += described(kept, pid, {
        "command_line": test.command, "comms": {pid: "shares"}, "executable": test.target,
        "callgraph": "dwarf"})
    return faults + decoded_again(test, kept)


def attach_everything(test):
    """What the program did between "recording" and Ctrl+C is all there."""
    program = test.target_started("0", "1")
    with harness.Recorder(test.build, test.work, "attach",
                          *test.argv(["-callgraph-mode", "fp", "-full-execution"]),
                          "-pid", str(program.pid)) as r:
        faults = [] if r.ready() == "recording %d\n" % program.pid else ["not ready"]
        begin = time.time_ns()
        wait_for_turns(program.pid, 0.15)
        end = time.time_ns()
        r.signal(signal.SIGINT)
        ended = r.end()
        faults += r.left()
    more, said = program_ended(program)
    faults += more
    if ended.status != 0:
        return faults + ["exit status %s: %s" % (ended.status, ended.stderr)]
    return faults + agrees(test.path, program.pid, test.command, said, (begin, end))


def attach_duration(test):
    """-duration: ends by itself, and the program runs on."""
    program = test.target_started("0", "1")
    with harness.Recorder(test.build, test.work, "attach",
                          *test.argv(["-callgraph-mode", "fp", "-duration", "0.5"]),
                          "-pid", str(program.pid)) as r:
        begin = time.time_ns() if r.ready() else 0
        ended = r.end()
        faults = r.left()
    end = time.time_ns()
    wait_for_turns(program.pid, 0.02)
    more, said = program_ended(program)
    faults += more
    if ended.status != 0:
        return faults + ["exit status %s: %s" % (ended.status, ended.stderr)]
    if end - begin < 500_000_000:
        faults.append("it ended after %d us" % ((end - begin) // 1000))
    return faults + agrees(test.path, program.pid, test.command, said, least=1)


def wait_for_turns(pid, seconds):
    """Until the process has used so much CPU time more."""
    def used():
        with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
            return int(f.read().rpartition(") ")[2].split()[11]) / os.sysconf("SC_CLK_TCK")

    before, deadline = used(), time.monotonic() + 60
    while used() < before + seconds and time.monotonic() < deadline:
        time.sleep(0.01)


def attach_threads(test):
    """All threads until SIGTERM, into a directory that is kept."""
    kept = os.path.join(test.work, "kept")
    program = test.target_started("0", "3")
    with harness.Recorder(test.build, test.work, "attach",
                          *test.argv(["-callgraph-mode", "dwarf", "-multi-thread",
                                      "-full-execution", "-working-directory", kept]),
                          "-pid", str(program.pid)) as r:
        r.ready()
        command, comms = command_line_of(program.pid), comms_of(program.pid)
        wait_for_turns(program.pid, 0.4)
        r.signal(signal.SIGTERM)
        ended = r.end()
        faults = r.left()
    more, said = program_ended(program)
    faults += more
    if ended.status != 0:
        return faults + ["exit status %s: %s" % (ended.status, ended.stderr)]
    faults += agrees(test.path, program.pid, command, said)
    faults += described(kept, program.pid, {
        "command_line": command, "comms": comms, "executable": test.target,
        "callgraph": "dwarf"})
    return faults + decoded_again(test, kept)


def kernel_functions():
    """As they are called in a trace: clones as the functions that they are clones of."""
    with open("/proc/kallsyms", encoding="utf-8") as f:
        return {re.sub(r"(\.(constprop|isra|part)\.\d+|\.cold(\.\d+)?)+$", "", line.split()[2])
                for line in f}


def kernel_too(test):
    """User and kernel code: the calls of the kernel are below the function that makes them."""
    faults, _, said, pid = test.run(["-callgraph-mode", "fp", "-full-execution",
                                     "-trace-include-kernel"], ["20", "1", "kernel"])
    if faults:
        return faults
    faults = agrees(test.path, pid, test.command, said)
    trace, kernel = Trace(test.path), kernel_functions()
    track = "%d/%d" % (pid, pid)
    inside, turns, stack = 0, 0, []
    for span in trace.tracks[track]:
        del stack[span.depth:]
        if span.name == "kernel_turn":
            turns += span.length
        if "kernel_turn" in stack and span.name in kernel and not kernel & set(stack):
            inside += span.length
        stack.append(span.name)
    if inside * 10 < turns * 8:
        faults.append("kernel_turn takes %d us, functions of the kernel %d us of it" %
                      (turns // 1000, inside // 1000))
    return faults


def kernel_only(test):
    """Kernel code only: all that is innermost is a function of the kernel."""
    faults, _, _, pid = test.run(["-callgraph-mode", "fp", "-full-execution",
                                  "-trace-kernel-only"], ["20", "1", "kernel"])
    if faults:
        return faults
    faults = harness.check_trace(test.path)
    spans, kernel = Trace(test.path).tracks["%d/%d" % (pid, pid)], kernel_functions()
    last = [s.name for s, after in zip(spans, spans[1:] + [None])
            if not after or after.depth <= s.depth]
    if not last:
        faults.append("there is nothing in the trace")
    return faults + ["%s is innermost" % name for name in last if name not in kernel]


def counters_refused(test):
    """-events needs hardware counters."""
    with harness.Recorder(test.build, test.work, "run", *test.argv(["-events", "cache-misses"]),
                          test.target, "--", "1", "1") as r:
        ready, ended = r.ready(), r.end()
        faults = r.left()
    if ended.status != 1 or ready or "-events" not in ended.stderr or ended.stdout:
        faults.append("exit status %s: %s" % (ended.status, ended.stderr + ended.stdout))
    if os.path.exists(test.path):
        faults.append("there is a trace")
    return faults


def cannot_sample(work):
    """Why nothing can be tested; None."""
    if not shutil.which("perf") or not shutil.which("gcc"):
        return "perf or gcc is not installed"
    p = subprocess.run(["perf", "record", "-o", os.path.join(work, "try"), "-e", "cpu-clock:u",
                        "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return "perf record: " + p.stdout.decode().strip()[-200:] if p.returncode else None


def main():
    report = harness.Report("e2e/sampling")
    build = harness.build_dir()
    with tempfile.TemporaryDirectory() as work:
        why = cannot_sample(work)
        if why:
            report.skip("all", why.replace("\n", " "))
            report.exit()
        target = harness.compile_target(work, "shares.c", "-O0")
        tests = [
            ("run fp everything", lambda t: run_everything(t, "fp")),
            ("run dwarf everything", lambda t: run_everything(t, "dwarf")),
            ("run fp threads", lambda t: run_threads(t, "fp")),
            ("run dwarf threads", lambda t: run_threads(t, "dwarf", "-full-execution")),
            ("run ring", run_ring),
            ("attach everything", attach_everything),
            ("attach threads", attach_threads),
            ("attach duration", attach_duration),
        ]
        if os.geteuid() == 0:
            tests += [("kernel too", kernel_too), ("kernel only", kernel_only)]
        else:
            report.skip("kernel", "not run by root")
        if not any(os.path.exists("/sys/bus/event_source/devices/" + n)
                   for n in ("cpu", "cpu_core")):
            tests.append(("events refused", counters_refused))
        else:
            report.skip("events refused", "this machine has hardware counters")
        harness.check_all(report, [(name, function, Test(build, work, target))
                                   for name, function in tests], 2)
    report.exit()


if __name__ == "__main__":
    main()
