#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""magic-trace attach -software: a process is single-stepped, and feels nothing of it."""
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import fxt                      # noqa: E402
import harness                  # noqa: E402
import live                     # noqa: E402
from confined import as_nobody, need_root              # noqa: E402
from counting import expect_functions, functions        # noqa: E402
from live import Live, Skip, expect, until              # noqa: E402
from softtrace import cannot_test                       # noqa: E402
from stepped import (AT_MARKED, CRASHING, EINTRS, EXECUTED, HANDLED, INT,  # noqa: E402
                     MARKED, SECOND, SECOND_TID, SOFTWARE, STEPPER, TAKEN, TERM, USR1,
                     USR2, Stepped, attach, hits_of, need_namespace,
                     recording, refused, said_all, stopped, threads_of)

STEPS = None


def prepare(top):
    """Compiles the programs, where anybody can read them."""
    global STEPS
    STEPS = harness.compile_target(top, "steps.c", "-O1")
    os.chmod(top, 0o755)


# ---- what ends a recording ----

def for_a_duration(place):
    target = Stepped(place, STEPS)
    said = attach(place, target, "-duration", "0.2").end()
    said_all(said, "[ Attached. Press Ctrl-C to stop recording. ]", TAKEN, "virtual time")
    expect_functions(place.path("trace.fxt"), target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def until_ctrl_c(place):
    """At the terminal: the stepping process does not get it."""
    target = Stepped(place, STEPS)
    run = recording(place, target, terminal=True)
    run.terminal.type("\x03")
    said = run.end()
    said_all(said, "[ Got signal, detaching... ]", TAKEN)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def until_sigusr2(place):
    target = Stepped(place, STEPS)
    run = recording(place, target)
    stopped(run, TAKEN, sig=USR2)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def several_snapshots(place):
    """Each is a file; what came behind the last is none."""
    target, kept = Stepped(place, STEPS), place.path("kept")
    run = recording(place, target, "-multi-snapshot", "-working-directory", kept)
    for i in range(1, 4):
        target.goes_on()
        run.send(USR2)
        run.err.wait(TAKEN, i)
    target.goes_on()
    said = stopped(run)
    expect(said.count(TAKEN) == 3, said)
    expect(len([n for n in os.listdir(kept) if n.startswith("perf.data")]) == 3, os.listdir(kept))
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def no_snapshot_of_several(place):
    """Nobody asked for one: the end is one."""
    target = Stepped(place, STEPS)
    run = recording(place, target, "-multi-snapshot")
    stopped(run, TAKEN)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def everything(place):
    """-full-execution: from the first instruction on."""
    target = Stepped(place, STEPS)
    run = recording(place, target, "-full-execution")
    stopped(run)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def as_long_as_a_command(place):
    target, fifo = Stepped(place, STEPS), place.path("fifo")
    os.mkfifo(fifo)
    run = recording(place, target, program=["sh", "-c", "read -r line < '%s'; exit 5" % fifo])
    with open(fifo, "w", encoding="ascii") as f:
        f.write("go\n")
    said = run.end()
    said_all(said, TAKEN)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def the_target_ends(place):
    target = Stepped(place, STEPS)
    run = recording(place, target)
    os.kill(target.pid, TERM)
    said_all(run.end(), TAKEN)
    out = target.process.communicate(timeout=live.LIMIT)[0].decode()
    expect(re.fullmatch(r"counted \d+\n", out) and target.process.returncode == 0,
           "the target said", out, target.process.returncode)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")


def the_target_is_killed(place):
    target = Stepped(place, STEPS, "threads")
    run = recording(place, target, "-multi-thread")
    target.goes_on(SECOND)
    target.process.kill()
    said_all(run.end(), TAKEN)
    expect(target.process.wait(live.LIMIT) == -signal.SIGKILL, "status", target.process.returncode)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")


def the_target_crashes(place):
    """Its last instruction is in the trace."""
    target = Stepped(place, STEPS)
    run = recording(place, target)
    os.kill(target.pid, USR2)
    said_all(run.end(), TAKEN)
    expect(target.process.wait(live.LIMIT) == -signal.SIGSEGV, "status", target.process.returncode)
    expect(target.number(CRASHING) == 1, "it did not crash so")
    names = {s.name for s in fxt.spans(fxt.read(run.trace))}
    expect({"count", "crash"} <= names, names)


# ---- triggers ----

def agrees(target, hit, tid=None):
    """A hit in the trace, with the truth."""
    expect(hit.name == "hit marked" and hit.ph == "X", hit)
    expect(hit.args["tid"] == (tid or target.pid), hit)
    expect(int(hit.args["ip"], 16) == target.number(AT_MARKED), hit, target.number(AT_MARKED))


def holds(span, hit):
    """The call that was hit: nothing of it ran, and times are drawn a nanosecond apart."""
    return span.start <= hit.time <= span.start + 1


def till_a_hit(place):
    """The recording ends at that instruction, and the program goes on."""
    target = Stepped(place, STEPS)
    run = recording(place, target, "-trigger", "marked")
    os.kill(target.pid, USR1)
    said = run.end()
    said_all(said, "[ Attaching to marked @ 0x%x ]" % target.number(AT_MARKED),
             "[ Thread %d called marked. ]" % target.pid, TAKEN)
    hits = hits_of(run.trace)
    expect(len(hits) == 1, hits)
    agrees(target, hits[0])
    last = max((e for e in fxt.read(run.trace) if e.track != "hits"), key=lambda e: e.time)
    expect(hits[0].time == last.time, "hit at %d, the last at %d" % (hits[0].time, last.time))
    inside = [s for s in fxt.spans(fxt.read(run.trace)) if s.name == "marked"]
    expect(len(inside) == 1 and holds(inside[0], hits[0]), inside, hits)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    until(lambda: target.number(MARKED) == 1, "call of marked")
    target.expect_unharmed()


def each_hit(place):
    """Several snapshots, each with its hit."""
    target, kept = Stepped(place, STEPS), place.path("kept")
    run = recording(place, target, "-trigger", "marked", "-multi-snapshot", "-working-directory",
                    kept)
    for i in range(1, 4):
        os.kill(target.pid, USR1)
        run.err.wait(TAKEN, i)
        until(lambda n=i: target.number(MARKED) == n, "call of marked")
        target.goes_on()
    stopped(run)
    hits = hits_of(run.trace)
    expect(len(hits) == 3 and hits == sorted(hits, key=lambda h: h.time), hits)
    for hit in hits:
        agrees(target, hit)
    calls = [s for s in fxt.spans(fxt.read(run.trace)) if s.name == "marked"]
    expect(all(any(holds(c, h) for c in calls) for h in hits), hits, "calls", calls)
    target.expect_unharmed()


def a_hit_in_another_thread(place):
    """With -multi-thread it is seen."""
    target = Stepped(place, STEPS, "threads")
    said = attach(place, target, "-trigger", "only_second", "-multi-thread").end()
    tid = target.number(SECOND_TID)
    said_all(said, "[ Thread %d called only_second. ]" % tid, TAKEN)
    hits = hits_of(place.path("trace.fxt"))
    expect([(h.name, h.args["tid"]) for h in hits] == [("hit only_second", tid)], hits)
    target.expect_unharmed()


def a_hit_in_a_thread_that_is_not_watched(place):
    target = Stepped(place, STEPS, "threads")
    run = attach(place, target, "-trigger", "only_second")
    run.ready()
    target.goes_on(SECOND)
    target.goes_on()
    run.send(INT)
    said_all(run.end(1, trace=False), "only_second was not called",
             "only the first of 2 threads was watched", "-multi-thread")
    target.expect_unharmed()


def a_trigger_that_is_not_there(place):
    target = Stepped(place, STEPS)
    refused(place, target.pid, "markde", "did you mean marked", args=("-trigger", "markde"))
    target.expect_unharmed()


def a_hit_never_comes(place):
    """When the program ends, it is its end that is shown."""
    target = Stepped(place, STEPS)
    run = recording(place, target, "-trigger", "marked")
    os.kill(target.pid, TERM)
    said_all(run.end(), "[ marked was not called; this is how it ended. ]")
    expect(hits_of(run.trace) == [], hits_of(run.trace))
    expect_functions(run.trace, target.pid, "count", "do_sum")
    target.process.communicate(timeout=live.LIMIT)
    expect(target.process.returncode == 0, "status", target.process.returncode)


# ---- threads, children, programs ----

def all_threads(place):
    target = Stepped(place, STEPS, "threads")
    run = attach(place, target, "-multi-thread")
    run.ready()
    target.goes_on()
    target.goes_on(SECOND)
    stopped(run, "Traced 2 threads,")
    tid = target.number(SECOND_TID)
    expect(threads_of(run.trace) == sorted([(target.pid, target.pid), (target.pid, tid)]),
           threads_of(run.trace))
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    expect(functions(run.trace)[target.pid, tid]["only_second"], "only_second is missing")
    target.expect_unharmed()


def the_first_thread_only(place):
    """The other one is not traced, and runs by itself."""
    target = Stepped(place, STEPS, "threads")
    run = recording(place, target)
    tid = target.number(SECOND_TID)
    expect(live.status_of(target.pid)["TracerPid"] != "0", "nobody traces the first thread")
    other = live.read("/proc/%d/task/%d/status" % (target.pid, tid))
    expect("TracerPid:\t0\n" in other, "the other thread:", other)
    target.goes_on(SECOND)
    stopped(run, "Traced 1 thread,")
    expect(threads_of(run.trace) == [(target.pid, target.pid)], threads_of(run.trace))
    target.expect_unharmed()


def threads_are_started(place):
    """While it is attached: recorded with -multi-thread, else not."""
    for args in (), ("-multi-thread",):
        target = Stepped(place, STEPS, "spawn")
        run = recording(place, target, *args)
        stopped(run)
        shares = functions(run.trace)
        others = [n for (_, tid), n in shares.items() if tid != target.pid]
        expect(bool(others) == bool(args) and all(n["in_thread"] for n in others[:2]), shares)
        expect_functions(run.trace, target.pid, "count", "do_sum")
        target.expect_unharmed()
        os.unlink(run.trace)


def children_are_made(place):
    """They run by themselves, or are recorded with -follow-fork."""
    for args in (), ("-follow-fork",):
        target = Stepped(place, STEPS, "fork")
        run = recording(place, target, *args)
        stopped(run)
        shares = functions(run.trace)
        others = [n for (pid, _), n in shares.items() if pid != target.pid]
        expect(bool(others) == bool(args), shares)
        expect(all(n["in_child"] for n in others[:2]), shares)
        target.expect_unharmed()
        os.unlink(run.trace)


def another_program_is_executed(place):
    """What is before and behind it is in the trace."""
    target = Stepped(place, STEPS, "exec")
    run = recording(place, target)
    os.kill(target.pid, USR1)
    until(lambda: target.number(EXECUTED) == 1, "exec")
    target.goes_on()
    stopped(run)
    names = functions(run.trace)[target.pid, target.pid]
    expect(names["exec_if_asked"] and names["begin_executed"] and names["do_sum"], names)
    target.expect_unharmed()


def the_trigger_is_executed_away(place):
    """It is found again, at another address."""
    target = Stepped(place, STEPS, "exec")
    run = recording(place, target, "-trigger", "marked")
    os.kill(target.pid, USR1)
    run.err.wait("[ Attaching to marked @", 2)
    until(lambda: target.number(EXECUTED) == 1, "exec")
    os.kill(target.pid, USR1)
    said_all(run.end(), "[ Thread %d called marked. ]" % target.pid)
    agrees(target, *hits_of(run.trace))
    target.expect_unharmed()


# ---- what it does meanwhile ----

def waits(place, what):
    target = Stepped(place, STEPS, what)
    for _ in range(2):
        run = recording(place, target)
        stopped(run)
        os.unlink(run.trace)
    eintrs = target.number(EINTRS)
    expect(eintrs == 0 or what == "epoll", "%d waits were interrupted" % eintrs)
    target.expect_unharmed()


def waits_in_read(place):
    waits(place, "read")


def waits_for_a_futex(place):
    waits(place, "futex")


def sleeps(place):
    waits(place, "sleep")


def waits_in_epoll(place):
    """Which fails with EINTR behind a stop, as signal(7) says."""
    waits(place, "epoll")


def has_timers(place):
    target = Stepped(place, STEPS, "timers")
    run = recording(place, target)
    target.goes_on(HANDLED, 5)
    target.goes_on()
    stopped(run)
    expect_functions(run.trace, target.pid, "on_signal")
    target.expect_unharmed()


def is_stopped(place):
    """By SIGSTOP, while it is stepped; it stays so when it is let go of."""
    target = Stepped(place, STEPS)
    run = recording(place, target)
    for ends in False, True:
        os.kill(target.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, target.pid, os.WSTOPPED)
        if ends:
            stopped(run)
            expect(live.is_stopped(target.pid), live.status_of(target.pid).get("State"))
        os.kill(target.pid, signal.SIGCONT)
        target.goes_on()
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def was_stopped(place):
    """Said, and nothing is recorded until it goes on."""
    target = Stepped(place, STEPS)
    os.kill(target.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, target.pid, os.WSTOPPED)
    run = attach(place, target)
    run.ready()
    said_all(run.err.text(), "process %d is stopped" % target.pid, "kill -CONT %d" % target.pid)
    os.kill(target.pid, signal.SIGCONT)
    target.goes_on()
    stopped(run)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


# ---- where it is ----

def is_in_a_pid_namespace(place):
    need_namespace("-p")
    target = Stepped(place, STEPS, before=["unshare", "--pid", "--fork", "--kill-child"])
    expect(target.named == 1, "it is", target.named, "in its namespace")
    pid = target.child()
    run = recording(place, target, "-trigger", "marked", pid=pid)
    os.kill(pid, USR1)
    said_all(run.end(), "[ Thread %d called marked. ]" % pid)
    agrees(target, *hits_of(run.trace), tid=pid)
    expect_functions(run.trace, pid, "count", "do_sum", "add")
    target.expect_unharmed(pid)


def is_in_a_mount_namespace(place):
    """Its file is in a file system that only it sees."""
    need_namespace("-m")
    inner = place.path("inner")
    os.mkdir(inner)
    mount = ("mount -t tmpfs none '%s' && cp '%s' '%s/program' && shift && exec '%s/program' "
             "\"$@\"" % (inner, STEPS, inner, inner))
    target = Stepped(place, STEPS, before=["unshare", "-m", "sh", "-c", mount, "sh"])
    expect(os.listdir(inner) == [], "the tmpfs is seen outside")
    run = recording(place, target, "-trigger", "marked")
    os.kill(target.pid, USR1)
    said_all(run.end(), "[ Thread %d called marked. ]" % target.pid)
    agrees(target, *hits_of(run.trace))
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


# ---- who cannot be attached to ----

def is_attached_to(place):
    """By another magic-trace: which one is said."""
    target = Stepped(place, STEPS)
    run = recording(place, target)
    stepper = place.find(STEPPER)
    second = Live(place, "attach", "-pid", str(target.pid), "-o", place.path("second.fxt"),
                  backend=SOFTWARE)
    expect(second.wait() == 1, "exit status", second.wait())
    said_all(second.err.text(), "process %d is traced already, by process %d (%s)"
             % (target.pid, stepper, STEPPER))
    target.goes_on()
    stopped(run)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def is_debugged(place):
    target = Stepped(place, STEPS)
    other = Stepped(place, STEPS, "trace", str(target.pid))
    refused(place, target.pid, "process %d is traced already, by process %d (steps)"
            % (target.pid, other.pid), "one tracer")
    expect(live.status_of(target.pid)["TracerPid"] == str(other.pid), "it was let go")
    target.goes_on()
    os.kill(other.pid, TERM)
    expect(other.process.wait(live.LIMIT) == 0, "status of the tracer", other.process.returncode)
    target.expect_unharmed()


def is_of_the_kernel(place):
    need_root()
    if live.read("/proc/2/comm").strip() != "kthreadd":
        raise Skip("no thread of the kernel is to be seen: in a container")
    refused(place, 2, "thread of the kernel")


def has_ended(place):
    with subprocess.Popen(["true"]) as p:
        p.wait()
    refused(place, p.pid, "no process %d" % p.pid)
    with subprocess.Popen(["true"]) as p:
        os.waitid(os.P_PID, p.pid, os.WEXITED | os.WNOWAIT)
        refused(place, p.pid, "process %d has ended" % p.pid)


def is_magic_trace(place):
    """Our own pid: the shell executes us."""
    run = Live(place, "attach", backend=SOFTWARE, before=["sh", "-c", "exec \"$@\" -pid $$", "sh"])
    said_all(run.end(1, trace=False), "process %d is magic-trace itself" % run.pid)


def is_32_bit(place):
    wide = place.path("wide")
    source = place.put("wide.c", "void _start(void)\n{\n\tfor (;;)\n\t\t"
                                 "__asm__ volatile(\"pause\");\n}\n")
    p = subprocess.run(["gcc", "-m32", "-O1", "-nostdlib", "-static", "-o", wide, source],
                       stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise Skip("no 32-bit program can be made: " + p.stderr.decode().strip())
    try:
        other = subprocess.Popen([wide], start_new_session=True)
    except OSError as e:
        raise Skip("32-bit programs cannot be run: %s" % e) from None
    try:
        refused(place, other.pid, "not 64-bit x86")
        expect(other.poll() is None and live.status_of(other.pid)["TracerPid"] == "0",
               live.status_of(other.pid))
    finally:
        other.kill()
        other.wait()


def are_several(place):
    one, two = Stepped(place, STEPS), Stepped(place, STEPS)
    run = Live(place, "attach", "-pid", "%d,%d" % (one.pid, two.pid), backend=SOFTWARE)
    said = run.end(2, trace=False)
    said_all(said, "one process at a time")
    one.expect_unharmed()
    two.expect_unharmed()


def is_of_another_user(place):
    before = as_nobody(place)
    target = Stepped(place, STEPS)
    refused(place, target.pid, "process %d" % target.pid, "another user", "root", before=before)
    target.expect_unharmed()


def is_of_the_same_user(place):
    """Who is nobody may record what is nobody's."""
    before = as_nobody(place)
    scope = live.read("/proc/sys/kernel/yama/ptrace_scope").strip()
    if scope not in ("", "0"):
        raise Skip("kernel.yama.ptrace_scope is " + scope)
    target = Stepped(place, STEPS, before=before)
    run = recording(place, target, before=before)
    stopped(run)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


TESTS = [for_a_duration, until_ctrl_c, until_sigusr2, several_snapshots, no_snapshot_of_several,
         everything, as_long_as_a_command, the_target_ends, the_target_is_killed,
         the_target_crashes, till_a_hit, each_hit, a_hit_in_another_thread,
         a_hit_in_a_thread_that_is_not_watched, a_trigger_that_is_not_there, a_hit_never_comes,
         all_threads, the_first_thread_only, threads_are_started, children_are_made,
         another_program_is_executed, the_trigger_is_executed_away, waits_in_read,
         waits_for_a_futex, sleeps, waits_in_epoll, has_timers, is_stopped, was_stopped,
         is_in_a_pid_namespace, is_in_a_mount_namespace, is_attached_to, is_debugged,
         is_of_the_kernel, has_ended, is_magic_trace, is_32_bit, are_several, is_of_another_user,
         is_of_the_same_user]

if __name__ == "__main__":
    live.run_all("e2e/software-attach", TESTS, prepare, cannot_test)
