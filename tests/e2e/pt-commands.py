#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How perf is run and told to record Intel PT: its command line, and how it is asked for the
snapshot and for the end, by its version.

What stands in, since it takes a machine with Intel PT, and six versions of perf:

* perf is the script below. It answers `version` with the version that is wanted, keeps its command
  line, acknowledges what it is told by the control channel, keeps that and the signals that it
  gets, and ends as perf of that version does. What it "records" is a text, which it prints again
  when it is to decode it. That perf takes these lines and does what is expected is not shown here.
* The machine: in a mount namespace of this test, a directory lies over
  /sys/bus/event_source/devices, and a file over /proc/cpuinfo.

magic-trace itself, the programs that are traced, and the breakpoints of triggers are real.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import lines                    # noqa: E402

# It ends with SIGINT, SIGTERM or "stop"; with --switch-output it begins a new file at SIGUSR2.
PERF = r"""
import json, os, re, signal, sys

version, log = os.environ["STANDIN_VERSION"], os.environ["STANDIN_LOG"]
args = sys.argv[1:]

def note(kind, what):
    with open(log, "a") as f:
        f.write(json.dumps([kind, what]) + "\n")

def write(path):
    with open(path, "w") as f:
        f.write(os.environ["STANDIN_TEXT"])

def end(status=0):
    data = args[args.index("-o") + 1]
    write(data)
    os._exit(status)

def on_signal(sig, _):
    note("asked", signal.Signals(sig).name)
    if sig != signal.SIGUSR2:
        end()
    files[0] += 1
    if "--switch-output=signal" in args:
        write(args[args.index("-o") + 1] + ".20260101000000%02d" % files[0])

files = [0]
if args[0] == "version":
    print("perf version " + version)
elif args[0] == "script":
    with open(args[args.index("-i") + 1]) as f:
        sys.stdout.write(f.read())
elif args[0] == "record":
    note("record", args)
    if "--kcore" in args and os.environ.get("STANDIN_REFUSES_KCORE"):
        sys.stderr.write("Failed to load kcore\n")
        sys.exit(255)
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR2):
        signal.signal(sig, on_signal)
    control = [re.fullmatch(r"--control=fd:(\d+),(\d+)", a) for a in args]
    control = [m for m in control if m]
    if not control:
        while True:
            signal.pause()
    commands, answers = map(int, control[0].groups())
    pending = b""
    while True:
        got = os.read(commands, 64)
        if not got:
            end(1)
        pending += got
        *whole, pending = pending.split(b"\n")
        for command in whole:
            note("asked", command.decode())
            if command == b"stop":
                end()
            os.write(answers, b"ack\n\0")
"""

NORMAL = "intel_pt/cyc=1,cyc_thresh=1,mtc_period=0/"
VERSIONS = ("4.19.304", "5.4.233", "5.10.209", "5.15.160", "6.1.90", "6.8.12", "6.14.2")
AT_END = "--snapshot=e"
ON_REQUEST = "--snapshot"


def at_least(version, major, minor):
    return tuple(map(int, version.split(".")[:2])) >= (major, minor)


def asked(version, trigger):
    """What perf is asked for, by the table: control commands in small letters, or signals."""
    if at_least(version, 5, 12):
        return ["snapshot", "stop"] if trigger else ["stop"]
    if at_least(version, 5, 10):
        return ["snapshot", "SIGTERM"] if trigger else ["SIGINT"]
    if at_least(version, 5, 4):
        return ["SIGUSR2", "SIGTERM"] if trigger else ["SIGINT"]
    return ["SIGUSR2", "SIGTERM"]


def to_stop(version):
    return ["stop"] if at_least(version, 5, 12) else ["SIGTERM"]


class Case:
    """How magic-trace is called, and what must come of it. {pid} stands for the traced process,
    {pids} for all that are attached to, where there are two."""

    def __init__(self, name, event, *expected, version="6.8.12", flags=(), how="run", requests=None,
                 env=None, said=(), unsaid=(), several=False, tries=1):
        self.name, self.version, self.flags, self.how = name, version, list(flags), how
        self.expected = ["record", "-o", "{dir}/perf.data", "--timestamp", "--event=" + event,
                         *expected]
        if at_least(version, 5, 10):
            self.expected.append("--control=fd:{fds}")
        trigger = how in ("hit", "asked twice")
        self.requests = asked(version, trigger) if requests is None else requests
        self.env, self.said, self.unsaid = env or {}, said, unsaid
        self.several, self.tries = several, tries


ONE = ("--per-thread", "-t", "{pid}")
ALL = ("-p", "{pid}")
KERNEL = {"MAGIC_TRACE_PERF_IS_PRIVILEGED": "1"}     # --kcore although /proc/kcore may be missing


def snapshot_by(version):
    """The option with which the snapshot is taken at the end."""
    return AT_END if at_least(version, 5, 4) else ON_REQUEST


def cases():
    for v in VERSIONS:
        yield Case("run %s" % v, NORMAL + "u", *ONE, snapshot_by(v), version=v)
        yield Case("attach %s" % v, NORMAL + "u", *ONE, snapshot_by(v), version=v, how="attach")
        yield Case("trigger %s" % v, NORMAL + "u", *ONE, ON_REQUEST, version=v, how="hit")
    for v in ("5.4.233", "5.10.209", "6.14.2"):
        yield Case("all of it %s" % v, NORMAL + "u", *ONE, version=v, flags=["-full-execution"],
                   requests=to_stop(v))
        # perf begins a new file at SIGUSR2 only
        yield Case("several snapshots %s" % v, NORMAL + "u", *ONE, ON_REQUEST,
                   "--switch-output=signal", version=v, how="asked twice",
                   flags=["-multi-snapshot"], requests=["SIGUSR2", "SIGUSR2", *to_stop(v)])
    yield Case("threads", NORMAL + "u", *ALL, AT_END, flags=["-multi-thread"])
    yield Case("threads, trigger", NORMAL + "u", *ALL, ON_REQUEST, flags=["-multi-thread"],
               how="hit")
    yield Case("several pids", NORMAL + "u", "--per-thread", "-t", "{pids}", AT_END, how="attach",
               several=True)
    yield Case("several pids, threads", NORMAL + "u", "-p", "{pids}", AT_END, how="attach",
               several=True, flags=["-multi-thread"])
    yield Case("-timer-resolution Low", "intel_pt//u", *ONE, AT_END,
               flags=["-timer-resolution", "Low"])
    yield Case("-timer-resolution High", "intel_pt/cyc=1,cyc_thresh=1,mtc_period=0,noretcomp=1/u",
               *ONE, AT_END, flags=["-timer-resolution", "High"])
    yield Case("-timer-resolution Custom", "intel_pt/cyc=1,psb_period=3/u", *ONE, AT_END,
               flags=["-timer-resolution", "Custom(cyc=1,psb_period=3)"])
    yield Case("-timer-resolution (Custom", "intel_pt/cyc=1,psb_period=3/u", *ONE, AT_END,
               flags=["-timer-resolution", "(Custom (cyc true) (psb_period 3))"])
    yield Case("-snapshot-size", NORMAL + "u", *ONE, AT_END, "-m,%d" % (2**20 // PAGE),
               flags=["-snapshot-size", "1M"], unsaid=["rounded"])
    yield Case("-snapshot-size rounded", NORMAL + "u", *ONE, AT_END, "-m,%d" % (2**22 // PAGE),
               flags=["-snapshot-size", "3M"], said=["3M", "4M"])
    yield Case("-snapshot-size smallest", NORMAL + "u", *ONE, AT_END, "-m,1",
               flags=["-snapshot-size", "%d" % PAGE])
    # perf cannot map several events of one thread without a CPU each: no --per-thread
    yield Case("-events", NORMAL + "u,branch-misses/period=50/uP,cache-misses/period=1/uP", "-t",
               "{pid}", AT_END, flags=["-events", "branch-misses,cache-misses"])
    yield Case("-events, one, kernel", NORMAL + "uk,cache-misses/period=1/ukP", "-t", "{pid}",
               AT_END, flags=["-events", "cache-misses", "-trace-include-kernel"],
               env={"MAGIC_TRACE_PERF_NO_KCORE": "1"})
    yield Case("kernel too", NORMAL + "uk", *ONE, AT_END, "--kcore", env=KERNEL,
               flags=["-trace-include-kernel"], unsaid=["kcore"])
    yield Case("kernel only", NORMAL + "k", *ONE, AT_END, "--kcore", env=KERNEL,
               flags=["-trace-kernel-only"], unsaid=["kcore"])
    yield Case("kernel, without --kcore", NORMAL + "uk", *ONE, AT_END,
               flags=["-trace-include-kernel"], unsaid=["kcore"],
               env=dict(KERNEL, MAGIC_TRACE_PERF_NO_KCORE="1"))
    yield Case("kernel, 5.4", NORMAL + "uk", *ONE, AT_END, version="5.4.233", env=KERNEL,
               flags=["-trace-include-kernel"], said=["kernel's code cannot be copied"])
    yield Case("kernel, 5.5", NORMAL + "uk", *ONE, AT_END, "--kcore", version="5.5.19", env=KERNEL,
               flags=["-trace-include-kernel"], unsaid=["kcore"])
    yield Case("kernel, --kcore refused", NORMAL + "uk", *ONE, AT_END, tries=2,
               env=dict(KERNEL, STANDIN_REFUSES_KCORE="1"), flags=["-trace-include-kernel"],
               said=["without --kcore, which perf refuses", "Failed to load kcore"])


def cases_without_cycles():
    """On a CPU whose PT does not count cycles (caps/psb_cyc is not 1)."""
    coarse = "1 us instead of 10 ns"
    yield Case("no cycles", "intel_pt//u", *ONE, AT_END, said=[coarse])
    yield Case("no cycles, High", "intel_pt//u", *ONE, AT_END, said=[coarse],
               flags=["-timer-resolution", "High"])
    yield Case("no cycles, Low", "intel_pt//u", *ONE, AT_END, unsaid=[coarse],
               flags=["-timer-resolution", "Low"])
    yield Case("no cycles, Custom", "intel_pt/mtc=1,mtc_period=3/u", *ONE, AT_END, unsaid=[coarse],
               flags=["-timer-resolution", "Custom(mtc=1,mtc_period=3)"])


REFUSED = [                     # flags, a word of the message
    (["-timer-resolution", "Sample(1000)"], "Sample"),
    (["-callgraph-mode", "fp"], "-callgraph-mode"),
    (["-snapshot-size", "1K"], "1K"),
    (["-snapshot-size", "512T"], "512T"),
    (["-multi-snapshot", "-full-execution"], "-full-execution"),
    (["-sampling", "-timer-resolution", "Custom(cyc=1)"], "Custom"),
]

PAGE = os.sysconf("SC_PAGESIZE")


class Machine:
    """Where it all lies: the stand-ins, and a program to trace."""

    def __init__(self, build, work):
        self.build, self.work = build, work
        self.perf = os.path.join(work, "perf")
        with open(self.perf, "w", encoding="utf-8") as f:
            f.write("#!%s -IS\n%s" % (sys.executable, PERF))
        os.chmod(self.perf, 0o755)
        self.caller = harness.compile_target(work, "caller.c", "-O1", "library.c")

    def env(self, case, log):
        return dict({"MAGIC_TRACE_PERF_PATH": self.perf, "STANDIN_VERSION": case.version,
                     "STANDIN_LOG": log, "STANDIN_TEXT": lines.good()}, **case.env)


def show_pt(work):
    """Over this machine's devices and CPUs those of one that has PT. In our namespace only."""
    devices, cpuinfo = os.path.join(work, "devices"), os.path.join(work, "cpuinfo")
    os.makedirs(os.path.join(devices, "intel_pt", "caps"))
    os.mkdir(os.path.join(devices, "cpu"))
    set_cycles(work, 1)
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        text = f.read()
    with open(cpuinfo, "w", encoding="utf-8") as f:
        f.write(re.sub(r"^(flags\s*:.*)$", r"\1 intel_pt", text, flags=re.M))
    for source, target in ((devices, "/sys/bus/event_source/devices"), (cpuinfo, "/proc/cpuinfo")):
        subprocess.run(["mount", "--bind", source, target], check=True)


def set_cycles(work, value):
    with open(os.path.join(work, "devices", "intel_pt", "caps", "psb_cyc"), "w",
              encoding="utf-8") as f:
        f.write("%d\n" % value)


class Attempt:
    """A case, tried."""

    def __init__(self, machine, case):
        self.machine, self.case = machine, case
        self.work = tempfile.mkdtemp(dir=machine.work)
        self.log = os.path.join(self.work, "log")
        self.kept = os.path.join(self.work, "kept")
        self.sleepers = []

    def flags(self):
        case = self.case
        return ["-o", os.path.join(self.work, "t.fxt"), "-working-directory", self.kept,
                *case.flags, *(["-trigger", "handle"] if case.how == "hit" else [])]

    def command(self):
        """The arguments behind the flags."""
        if self.case.how in ("run", "hit"):
            return "run", [self.machine.caller, "--", "handle", "1", "0"]
        # they end with this test
        self.sleepers = [subprocess.Popen(["cat"], stdin=subprocess.PIPE)
                         for _ in range(1 + self.case.several)]
        return "attach", ["-pid", ",".join(str(p.pid) for p in self.sleepers)]

    def record(self):
        """Runs magic-trace; how it ended, the process that was traced, what was left behind."""
        command, rest = self.command()
        with harness.Recorder(self.machine.build, self.work, command, *self.flags(), *rest,
                              env=self.machine.env(self.case, self.log)) as r:
            ready = r.ready()
            if self.case.how == "asked twice":
                for i in range(2):
                    r.signal(signal.SIGUSR2)
                    r.err.wait("[ Snapshot taken. ]", i + 1)
            if self.case.how in ("attach", "asked twice"):
                r.signal(signal.SIGINT)
            ended = r.end()
            left = r.left()
        return ended, ready.split()[-1] if ready else "?", left

    def logged(self):
        records, requests = [], []
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as f:
                for kind, what in map(json.loads, f):
                    (records if kind == "record" else requests).append(what)
        return records, requests

    def faults(self):
        try:
            ended, pid, faults = self.record()
            if any(p.poll() is not None for p in self.sleepers):
                faults.append("what was attached to has ended")
        finally:
            for p in self.sleepers:
                p.kill()
                p.communicate()
        if ended.status != 0:
            faults.append("exit status %s: %s" % (ended.status, ended.stderr))
        return faults + self.lines(pid) + self.messages(ended.stderr)

    def lines(self, pid):
        case, (records, requests) = self.case, self.logged()
        pids = ",".join(str(p.pid) for p in self.sleepers)
        expected = [a.format(dir=self.kept, pid=pid, pids=pids, fds="{fds}") for a in case.expected]
        got = [re.sub(r"^(--control=fd:)\d+,\d+$", r"\1{fds}", a)
               for a in (records[-1] if records else [])]
        faults = []
        # the order of the options says nothing to perf; those with a value stay with it
        if options(got) != options(expected):
            faults.append("perf %s, expected perf %s" % (" ".join(got), " ".join(expected)))
        if len(records) != case.tries:
            faults.append("perf record was run %d times" % len(records))
        # whether it records is asked with one of these first
        if requests and requests[0] in ("ping", "enable"):
            requests = requests[1:]
        if requests != case.requests:
            faults.append("perf was asked %s, expected %s" % (requests, case.requests))
        return faults

    def messages(self, stderr):
        faults = ["%r is not said: %s" % (w, stderr) for w in self.case.said if w not in stderr]
        return faults + ["%r is said: %s" % (w, stderr) for w in self.case.unsaid if w in stderr]


def options(args):
    """The options of a command line in any order, each with its value."""
    out = []
    for arg in args:
        if out and out[-1] in ("-o", "-t", "-p"):
            out[-1] += " " + arg
        else:
            out.append(arg)
    return sorted(out)


def refused(machine, flags, word):
    """Nothing is recorded, and why is said."""
    work = tempfile.mkdtemp(dir=machine.work)
    log = os.path.join(work, "log")
    ended = harness.program(machine.build, "run", *flags, "-o", os.path.join(work, "t.fxt"),
                            machine.caller, "--", "handle", "1", "0",
                            env=machine.env(Case("", ""), log))
    faults = [] if ended.status in (1, 2) else ["exit status %s" % ended.status]
    if word not in ended.stderr:
        faults.append(ended.stderr)
    if os.path.exists(log) or ended.stdout:
        faults.append("perf was run, or the program")
    return faults


def check(report, machine, some):
    """perf without a control channel is given half a second to begin: several at a time."""
    harness.check_all(report, [(c.name, Attempt(machine, c).faults) for c in some], 6)


def inside(report, build):
    """The test itself, in a mount namespace of its own."""
    with tempfile.TemporaryDirectory() as work:
        machine = Machine(build, work)
        show_pt(work)
        check(report, machine, cases())
        harness.check_all(report, [("refused " + " ".join(flags), refused, machine, flags, word)
                                   for flags, word in REFUSED], 2)
        set_cycles(work, 0)
        check(report, machine, cases_without_cycles())


def cannot_test():
    """Why nothing can be tested; None."""
    if not shutil.which("unshare") or not shutil.which("gcc"):
        return "unshare or gcc is not installed"
    p = subprocess.run(["unshare", "-m", "sh", "-c", "mount --bind /tmp /sys/bus/event_source/"
                        "devices && mount --bind /dev/null /proc/cpuinfo"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return "unshare -m: " + p.stdout.decode().strip() if p.returncode else None


if __name__ == "__main__":
    harness.in_mount_namespace(harness.Report("e2e/pt-commands"), __file__, inside, cannot_test)
