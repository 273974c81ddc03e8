#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Single-stepping a process: attached to, let go of, stopped, killed, held by another; unharmed."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
from softtrace import Place, cannot_test, compare, counted, same_again     # noqa: E402

PTRACE_DETACH, PTRACE_SEIZE = 17, 0x4206
PTRACE_O_TRACEEXEC, PTRACE_EVENT_EXEC = 1 << 4, 4

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes, libc.ptrace.restype = [ctypes.c_long] * 4, ctypes.c_long


def reproducible(place):
    """Threads and all."""
    return same_again(place, lambda: place.record("again", "-t", "instructions", "--",
                                                  *place.argv("soft threads")))


def start_checks(place):
    """A program that checks what it does, until its standard input is closed."""
    p = subprocess.Popen(place.argv("soft checks"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         text=True)
    p.stdout.readline()
    return p


def expect_checked(p, status=0):
    p.stdin.close()
    said = p.stdout.read()
    p.stdout.close()
    end = p.wait()
    if end != status or (status == 0 and said != "checked\n"):
        return ["the program: status %s, %r" % (end, said)]
    return []


def attach(place, name, *options):
    """To a program with two threads, which goes on afterwards."""
    p = start_checks(place)
    before = os.sched_getaffinity(p.pid)
    ended = place.record(name, *options, "-x", "20000", "-p", str(p.pid))
    faults = [ended.stderr] if ended.returncode else []
    if os.sched_getaffinity(p.pid) != before:
        faults.append("its CPUs are others")
    threads = 1 if "-1" in options else 2
    if len(place.logged(name)) != threads:
        faults.append("%d threads" % len(place.logged(name)))
    return faults + expect_checked(p) + counted(ended, place, name) + compare(place, name)


def stopped_and_continued(place):
    """A stop signal and SIGCONT work while it is stepped."""
    p = start_checks(place)
    with subprocess.Popen([place.step, "-o", place.path("stop"), "-b", place.path("stop.log"),
                           "-p", str(p.pid)], stderr=subprocess.PIPE, text=True) as step:
        await_tracer(p)
        p.send_signal(signal.SIGSTOP)
        while True:
            _, status = os.waitpid(p.pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                break
        p.send_signal(signal.SIGCONT)
        faults = expect_checked(p)
        step.communicate()
    if step.returncode:
        faults.append("softstep: status %d" % step.returncode)
    return faults + compare(place, "stop")


def await_tracer(p):
    """Until it is traced."""
    while not tracer(p.pid):
        time.sleep(0.01)


def killed(place):
    """The program is killed while it is stepped: what there is is decoded."""
    p = start_checks(place)
    with subprocess.Popen([place.step, "-o", place.path("killed"), "-b",
                           place.path("killed.log"), "-d", "60000", "-p", str(p.pid)],
                          stderr=subprocess.PIPE, text=True) as step:
        await_tracer(p)
        time.sleep(0.3)
        p.kill()
        faults = expect_checked(p, -signal.SIGKILL)
        _, said = step.communicate()
    if "there is no process" in said:
        return faults           # it was killed before all its threads had stopped
    if step.returncode:
        faults.append("softstep: status %d, %s" % (step.returncode, said))
    return faults + [f for f in compare(place, "killed") if "nothing was" not in f]


def tracer(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"TracerPid:\s*(\d+)", f.read())[1])


def held_program(argv):
    """A program that this process traces, at its exec."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.read(ours, 1)
            os.execv(argv[0], argv)
        finally:
            os._exit(127)
    if libc.ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC):
        raise OSError(ctypes.get_errno(), "PTRACE_SEIZE")
    os.write(theirs, b"x")
    os.close(theirs)
    os.close(ours)
    _, status = os.waitpid(pid, 0)
    if status >> 16 != PTRACE_EVENT_EXEC:
        raise OSError("no exec")
    return pid


def held(place):
    """Another tracer holds it at its exec: not one instruction is missed."""
    pid = held_program(place.argv("static fib"))
    with open("/proc/%d/auxv" % pid, "rb") as f:
        auxv = list(zip(*[iter(memoryview(f.read()).cast("Q"))] * 2))
    entry = "%x" % dict(auxv)[9]        # AT_ENTRY
    with subprocess.Popen([place.step, "-o", place.path("held"), "-b", place.path("held.log"),
                           "-H", "-p", str(pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as step:
        faults = [] if step.stdout.readline() == "ready\n" else ["it is not ready"]
        libc.ptrace(PTRACE_DETACH, pid, 0, 0)
        _, status = os.waitpid(pid, 0)
        step.communicate()
    if status or step.returncode:
        faults.append("status %d, softstep's %d" % (status, step.returncode))
    first = place.logged("held")[str(pid)][0]
    if first != ("tr_strt", "0", entry):
        faults.append("it begins with %s, not at %s" % (first, entry))
    return faults + compare(place, "held")


def refused(place):
    """With reasons."""
    def refuse(pid, *words):
        ended = place.record("refused", "-p", str(pid))
        if ended.returncode != 99 or not all(w in ended.stderr for w in words):
            faults.append("refused: %d, %r" % (ended.returncode, ended.stderr))

    faults = []
    with subprocess.Popen(["true"]) as p:
        p.wait()
    refuse(p.pid, "no process %d" % p.pid)
    pid = held_program(place.argv("static fib"))
    refuse(pid, "traced already, by process %d" % os.getpid())
    libc.ptrace(PTRACE_DETACH, pid, 0, 0)
    _, status = os.waitpid(pid, 0)
    if status:
        faults.append("the program: status %d" % status)
    return faults


def main():
    report = harness.Report("e2e/soft-attach")
    build = harness.build_dir()
    why = cannot_test(build)
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        place = Place(build, work)
        report.check("reproducible", harness.faults_of(reproducible, place))
        for name, *options in (("attach",), ("attach first", "-1"), ("attach per-cpu", "-C")):
            report.check(name, harness.faults_of(attach, place, name.replace(" ", "-"), *options))
        for test in (stopped_and_continued, killed, held, refused):
            report.check(test.__name__, harness.faults_of(test, place))
    report.exit()


if __name__ == "__main__":
    main()
