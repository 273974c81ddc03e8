#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that end at once, are no programs, fork, execute others, sit in namespaces, crash, ...

Each is recorded with the real perf. The trace is right, the program unharmed (it counts, and checks
that it has counted right), the exit status as it should be, and nothing is left behind.
"""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import fxt                      # noqa: E402
import harness                  # noqa: E402
import live                     # noqa: E402
from counting import Counting, COUNTED, expect_functions, functions, work  # noqa: E402
from confined import need_root                   # noqa: E402
from live import Live, Skip, expect, until      # noqa: E402

PROGRAM = STATIC = EXITS = None
NOBODY = 65534


def prepare(top):
    """Compiles the programs."""
    global PROGRAM, STATIC, EXITS
    PROGRAM = harness.compile_target(top, "odd_target.c")
    STATIC = harness.compile_target(top, "odd_target.c", "-static", out="odd_static")
    EXITS = harness.compile_target(top, "odd_exit.c", "-nostdlib", "-static")
    os.chmod(top, 0o755)


def attach(place, *args, **more):
    """magic-trace attach, for as long as it takes to see something."""
    return Live(place, "attach", "-duration", "0.1", *args, **more)


def attached(place, target, pid, *args, status=0, names=("count", "count_round")):
    """Attaches to it, and looks at the trace and the target; what magic-trace said."""
    said = attach(place, "-pid", str(pid), *args).end(status)
    expect_functions(place.path("trace.fxt"), pid, *names)
    target.expect_unharmed(pid)
    return said


def refused(place, *args, words=(), **more):
    """Ends with 1 and these words, and no trace."""
    said = Live(place, *args, **more).end(1, trace=False)
    for word in words:
        expect(word in said, "%r is not said:" % word, said)
    return said


def pid_that_is_none():
    """Ended, and waited for."""
    with subprocess.Popen(["true"]) as p:
        p.wait()
        return p.pid


def in_namespace(kind):
    """Whether namespaces can be made here."""
    need_root()
    p = subprocess.run(["unshare", kind, "true"], stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise Skip("no namespaces: " + p.stderr.decode().strip())


# ---- programs that end at once, or do not begin ----

def ends_at_once(place):
    """There may be no sample of it; then it is said that there is none."""
    for program, ended in ((["false"], 1), (["sh", "-c", "exit 7"], 7)):
        run = Live(place, "run", program=program)
        status = run.wait()
        said = run.end(status, trace=status == 0)
        expect(status in (0, 1), "exit status", status, said)
        expect("%s (process" % program[0] in said and "exited with status %d." % ended in said,
               said)
        if status == 0:
            os.unlink(run.trace)
        else:
            expect("no trace was written" in said, said)


def ends_before_a_sample(place):
    said = Live(place, "run", program=[EXITS]).end(1, trace=False)
    expect("no trace was written" in said and "exited with status 7." in said, said)


def counts_and_ends(place):
    run = Live(place, "run", program=[PROGRAM, "count", "60"])
    pid = run.ready()
    said = run.end()
    expect("(process %d) exited with status 0." % pid in said, said)
    expect(COUNTED.fullmatch(run.out.text().replace("ready %d\n" % pid, "")), run.out.text())
    expect_functions(run.trace, pid, "main", "count", "count_round")


def is_missing(place):
    refused(place, "run", program=["./missing"], words=["cannot run ./missing", "No such file"])
    said = refused(place, "run", program=["no-such-program"],
                   words=["cannot run no-such-program", "PATH"])
    expect("process" not in said.replace("processes", ""), "something was started:", said)


def is_not_executable(place):
    path = place.put("data", "some text\n")
    refused(place, "run", program=[path], words=["cannot run " + path, "chmod +x"])


def is_a_directory(place):
    refused(place, "run", program=[place.tmp], words=["cannot run " + place.tmp, "is a file"])


def is_no_script(place):
    """A shell would run it by itself; the kernel does not."""
    path = place.put("script", "touch '%s'\n" % place.path("was-run"), 0o755)
    refused(place, "run", program=[path], words=["cannot run " + path, "#!"])
    expect(not os.path.exists(place.path("was-run")), "it was run")


def has_no_interpreter(place):
    path = place.put("script", "#!/no/such/interpreter\n", 0o755)
    refused(place, "run", program=[path], words=["cannot run " + path, "interpreter"])


def is_for_another_machine(place):
    with open(PROGRAM, "rb") as f:
        elf = bytearray(f.read())
    elf[18:20] = (243 if elf[18] != 243 else 62).to_bytes(2, "little")     # e_machine: RISC-V
    path = place.path("foreign")
    with open(path, "wb") as f:
        f.write(elf)
    os.chmod(path, 0o755)
    refused(place, "run", program=[path], words=["cannot run " + path, "for this machine"])


def is_a_script(place):
    path = place.put("script", "#!/bin/sh\nexec '%s' count 60\n" % PROGRAM, 0o755)
    run = Live(place, "run", program=[path])
    pid = run.ready()
    run.end()
    expect_functions(run.trace, pid, "count", "count_round")


# ---- pids that are none, or odd ----

def there_is_no_such_pid(place):
    pid = pid_that_is_none()
    refused(place, "attach", "-pid", str(pid), words=["there is no process %d" % pid, "ps -e"])
    target = Counting(place, PROGRAM)
    refused(place, "attach", "-pid", "%d,%d" % (target.pid, pid),
            words=["there is no process %d" % pid])
    target.expect_unharmed()


def is_a_zombie(place):
    target = Counting(place, PROGRAM, "zombie")
    refused(place, "attach", "-pid", str(target.named),
            words=["process %d has ended" % target.named])
    target.expect_unharmed()


def is_a_thread(place):
    target = Counting(place, PROGRAM, "thread")
    refused(place, "attach", "-pid", str(target.named),
            words=["%d is a thread of process %d" % (target.named, target.pid), "-multi-thread"])
    target.expect_unharmed()


def is_of_the_kernel(place):
    need_root()
    if live.read("/proc/2/comm").strip() != "kthreadd":
        raise Skip("no thread of the kernel is to be seen: in a container")
    refused(place, "attach", "-pid", "2", words=["thread of the kernel", "-trace-kernel-only"])


def is_given_twice(place):
    target = Counting(place, PROGRAM)
    said = attach(place, "-pid", "%d,%d" % (target.pid, target.pid)).end()
    expect("Traced 1 thread," in said, said)
    expect_functions(place.path("trace.fxt"), target.pid, "count", "count_round")
    target.expect_unharmed()


def one_of_several_ends(place):
    """The others are recorded on."""
    one, two = Counting(place, PROGRAM), Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", "%d,%d" % (two.pid, one.pid))
    run.ready()
    work(two.pid)
    two.expect_unharmed()
    work(one.pid)
    expect(run.process.poll() is None, "the recording has ended:", run.err.text())
    run.send(signal.SIGINT)
    said = run.end()
    expect("Traced 2 threads," in said, said)
    for target in one, two:
        expect_functions(run.trace, target.pid, "count", "count_round")
    one.expect_unharmed()


def all_of_several_end(place):
    targets = [Counting(place, PROGRAM) for _ in range(2)]
    run = Live(place, "attach", "-pid", "%d,%d" % tuple(t.pid for t in targets))
    run.ready()
    for target in targets:
        work(target.pid)
        target.expect_unharmed()
    run.end()
    for target in targets:
        expect_functions(run.trace, target.pid, "count", "count_round")


# ---- what programs do while they are recorded ----

def ends_during_attach(place):
    """At any time: then it is as if it had ended before, or there is a trace."""
    perf = place.perf(record='read -r pid < "$place/victim"; kill -KILL "$pid"\n'
                             'while kill -0 "$pid" 2>/dev/null; do :; done')
    target = Counting(place, PROGRAM)
    place.put("victim", "%d\n" % target.pid)
    run = Live(place, "attach", "-pid", str(target.pid), perf=perf)
    target.process.wait(live.LIMIT)
    said = run.end(1, trace=False)
    expect("magic-trace: " in said and "ended" in said, said)


def forks(place):
    """The children are not recorded; with -multi-thread they are, each as a process of its own."""
    for args, others in ((), 0), (("-multi-thread",), 3):
        run = Live(place, "run", *args, program=[PROGRAM, "fork", "3"])
        pid = run.ready()
        said = run.end()
        expect("exited with status 0." in said, said)
        expect_functions(run.trace, pid, "parent_work", "count_round")
        children = [p for p, _ in functions(run.trace) if p != pid]
        expect(len(children) == others, "%d children are in the trace" % len(children))
        for child in children:
            expect_functions(run.trace, child, "child_work", "count_round")
        os.unlink(run.trace)


def executes(place):
    """Before and behind it are the functions of both programs, in one thread."""
    run = Live(place, "run", program=[PROGRAM, "exec", STATIC, "count", "60"])
    pid = run.ready()
    said = run.end()
    expect("exited with status 0." in said, said)
    shares = functions(run.trace)
    expect(list(shares) == [(pid, pid)], "threads:", list(shares))
    expect_functions(run.trace, pid, "main", "before_exec")
    expect_functions(run.trace, pid, "main", "count", "count_round")


def is_stopped(place):
    """Said, and nothing is recorded until it goes on."""
    target = Counting(place, PROGRAM)
    os.kill(target.pid, signal.SIGSTOP)
    until(lambda: live.is_stopped(target.pid), "stop")
    run = Live(place, "attach", "-pid", str(target.pid))
    run.ready()
    expect("process %d is stopped" % target.pid in run.err.text(), run.err.text())
    expect("kill -CONT %d" % target.pid in run.err.text(), run.err.text())
    expect(live.is_stopped(target.pid), "attaching has let it go on")
    os.kill(target.pid, signal.SIGCONT)
    until(lambda: not live.is_stopped(target.pid), "start")
    work(target.pid)
    run.send(signal.SIGINT)
    run.end()
    expect_functions(run.trace, target.pid, "count", "count_round")
    target.expect_unharmed()


def stays_stopped(place):
    target = Counting(place, PROGRAM)
    os.kill(target.pid, signal.SIGSTOP)
    until(lambda: live.is_stopped(target.pid), "stop")
    said = attach(place, "-pid", str(target.pid)).end(1, trace=False)
    expect("is stopped" in said and "no trace was written" in said, said)
    expect(live.is_stopped(target.pid), "it was let go on")
    os.kill(target.pid, signal.SIGCONT)
    until(lambda: not live.is_stopped(target.pid), "start")
    target.expect_unharmed()


def is_killed(place):
    """By SIGKILL, under run and attach: decoded, and how it ended is reported."""
    run = Live(place, "run", program=[PROGRAM])
    pid = run.ready()
    work(pid)
    os.kill(pid, signal.SIGKILL)
    said = run.end()
    expect("(process %d) was killed by signal 9 (Killed)." % pid in said, said)
    expect_functions(run.trace, pid, "count", "count_round")
    target = Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", str(target.pid))
    run.ready()
    work(target.pid)
    target.process.kill()
    run.end()
    expect_functions(run.trace, target.pid, "count", "count_round")


def crashes(place):
    """Its last moments are in the trace; how it ended is told, and passed on if asked for."""
    run = Live(place, "run", "-program-status", program=[PROGRAM, "crash"])
    pid = run.ready()
    said = run.end(128 + signal.SIGSEGV)
    expect("(process %d) was killed by signal 11 (Segmentation fault)." % pid in said, said)
    expect_functions(run.trace, pid, "crash", "count", "count_round")


def leads_a_session(place):
    """It leaves our session and process group."""
    run = Live(place, "run", program=[PROGRAM, "session", "60"])
    pid = run.ready()
    said = run.end()
    expect("exited with status 0." in said, said)
    expect_functions(run.trace, pid, "count", "count_round")


def becomes_a_daemon(place):
    """The first process is what was run: its end is the end. The daemon is not our business."""
    log = place.path("log")
    run = Live(place, "run", program=[PROGRAM, "daemon", log])
    pid = run.ready()
    run.wait()
    until(lambda: live.read(log).endswith("\n"), "daemon")
    daemon = int(live.read(log).split()[1])
    try:
        expect(live.is_alive(daemon), "the daemon has ended")
        expect(place.processes() == {daemon: "odd_target"}, "left running:", place.processes())
        os.kill(daemon, signal.SIGTERM)
        until(lambda: COUNTED.search(live.read(log)), "end of the daemon: " + live.read(log))
        until(lambda: not live.is_alive(daemon), "end of the daemon")
    finally:
        if live.is_alive(daemon):
            os.kill(daemon, signal.SIGKILL)
    run.end()
    expect_functions(run.trace, pid, "count", "count_round")
    expect(len(functions(run.trace)) == 1, "the daemon is in the trace")


# ---- where programs are ----

def is_in_a_pid_namespace(place):
    in_namespace("-p")
    target = Counting(place, "unshare", "--pid", "--fork", "--kill-child", PROGRAM)
    pid = target.child()
    expect(target.named == 1, "it is", target.named, "in its namespace")
    attached(place, target, pid)


def is_in_a_mount_namespace(place):
    """Its file is in a file system that only it sees."""
    in_namespace("-m")
    inner = place.path("inner")
    os.mkdir(inner)
    target = Counting(place, "unshare", "-m", "sh", "-c", "mount -t tmpfs none '%s' && cp '%s' "
                      "'%s/program' && exec '%s/program'" % (inner, PROGRAM, inner, inner))
    expect(os.listdir(inner) == [], "the tmpfs is seen outside")
    triggered(place, target, target.pid)
    attached(place, target, target.pid)


def triggered(place, target, pid):
    """A snapshot when it calls a function."""
    run = Live(place, "attach", "-pid", str(pid), "-trigger", "marked")
    run.ready()
    work(pid)
    os.kill(pid, signal.SIGUSR1)
    said = run.end()
    expect("[ Thread %d called marked. ]" % pid in said, said)
    hits = [e.name for e in fxt.read(run.trace) if e.track == "hits"]
    expect(hits == ["hit marked"], "hits:", hits)
    expect(live.is_alive(target.pid), "the target has ended")
    os.unlink(run.trace)


def is_in_a_chroot(place):
    """Another file has the name outside."""
    need_root()
    root = place.path("root")
    os.mkdir(root)
    shutil.copy(STATIC, os.path.join(root, "true"))
    target = Counting(place, "chroot", root, "/true")
    triggered(place, target, target.pid)
    attached(place, target, target.pid)


def own_copy(place):
    path = place.path("program")
    shutil.copy(PROGRAM, path)
    return path


def shows_its_names(place, target, path):
    """Perf cannot read the symbols of a file that is gone; the process that has it still can be."""
    names = functions(place.path("trace.fxt"))[target.pid, target.pid]
    gone = re.compile(r"\[unknown @ 0x[0-9a-f]+ \(%s.*\)\]" % re.escape(path))
    for name in "main", "count", "count_round":
        expect(name in names, "no", name, "in", dict(names))
    for name in names:
        expect(name != "replacement" and not gone.fullmatch(name), name, "in", dict(names))


def is_deleted(place):
    path = own_copy(place)
    target = Counting(place, path)
    os.unlink(path)
    triggered(place, target, target.pid)
    attach(place, "-pid", str(target.pid)).end()
    shows_its_names(place, target, path)
    target.expect_unharmed()


def is_replaced(place):
    """By a program that has other functions at the same addresses."""
    path = own_copy(place)
    target = Counting(place, path)
    other = place.put("other.c", "void replacement(void) {}\nint main(void) { return 0; }\n")
    subprocess.run(["cc", "-o", place.path("other"), other], check=True)
    os.rename(place.path("other"), path)
    triggered(place, target, target.pid)
    attach(place, "-pid", str(target.pid)).end()
    shows_its_names(place, target, path)
    target.expect_unharmed()


def is_setuid(place):
    """Run by root, it becomes nobody. (For a user the kernel ignores the bit of who is traced.)"""
    need_root()
    path = own_copy(place)
    os.chown(path, NOBODY, NOBODY)
    os.chmod(path, 0o6755)
    run = Live(place, "run", program=[path, "count", "60"])
    pid = run.ready()
    said = run.end()
    expect("exited with status 0." in said, said)
    expect_functions(run.trace, pid, "count", "count_round")


def is_debugged(place):
    """By somebody else, who keeps it."""
    target = Counting(place, PROGRAM)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    detach, seize, interrupt = 17, 0x4206, 0x4207       # <linux/ptrace.h>
    # the one that has seized it must be the one that lets it go: this thread
    expect(libc.ptrace(seize, target.pid, None, None) == 0, os.strerror(ctypes.get_errno()))
    attach(place, "-pid", str(target.pid)).end()
    expect(live.status_of(target.pid).get("TracerPid") == str(threading.get_native_id()),
           "it was let go")
    expect(libc.ptrace(interrupt, target.pid, None, None) == 0, os.strerror(ctypes.get_errno()))
    os.waitpid(target.pid, 0)
    expect(libc.ptrace(detach, target.pid, None, None) == 0, os.strerror(ctypes.get_errno()))
    expect_functions(place.path("trace.fxt"), target.pid, "count", "count_round")
    target.expect_unharmed()


# ---- names ----

STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
ASCII = b"a\tb \x1b]0;c\x07\x08(d) [e]"
BYTES = b"\xc2\x9b2J\xff\xc3(\xe2\x82\xac\nf"


def expect_harmless(said):
    """No bytes for a terminal to obey, and none that are no text."""
    expect(not STEERS.search(said) and "\ufffd" not in said, "this was said: %r" % said)


def with_an_odd_name(place, odd, *names):
    """In the path, the arguments, and what it calls itself."""
    path = os.fsencode(place.dir) + b"/" + odd
    shutil.copy(PROGRAM, path)
    target = Counting(place, path, "name", odd[:15])
    said = attach(place, "-pid", str(target.pid)).end()
    expect_harmless(said)
    expect_functions(place.path("trace.fxt"), target.pid, *names)
    target.expect_unharmed()
    os.unlink(place.path("trace.fxt"))
    run = Live(place, "run", program=[path, b"count", b"60", odd])
    pid = run.ready()
    said = run.end()
    expect("exited with status 0." in said, said)
    expect_harmless(said)
    expect_functions(run.trace, pid, *names)


def has_an_odd_name(place):
    with_an_odd_name(place, ASCII, "count", "count_round")


def has_a_name_that_is_no_text(place):
    """perf (6.1) finds no file of such a name, so its functions have only addresses."""
    with_an_odd_name(place, BYTES)


def has_many_arguments(place):
    """More than a line of ps, or of ours, holds."""
    args = ["x%d" % i for i in range(20000)]
    run = Live(place, "run", "-working-directory", place.path("kept"),
               program=[PROGRAM, "count", "60", *args])
    pid = run.ready()
    said = run.end()
    expect("exited with status 0." in said and len(said) < 5000, len(said), "bytes are said")
    expect_functions(run.trace, pid, "count", "count_round")


TESTS = [ends_at_once, ends_before_a_sample, counts_and_ends, is_missing, is_not_executable,
         is_a_directory, is_no_script, has_no_interpreter, is_for_another_machine, is_a_script,
         there_is_no_such_pid, is_a_zombie, is_a_thread, is_of_the_kernel, is_given_twice,
         one_of_several_ends, all_of_several_end, ends_during_attach, forks, executes, is_stopped,
         stays_stopped, is_killed, crashes, leads_a_session, becomes_a_daemon,
         is_in_a_pid_namespace, is_in_a_mount_namespace, is_in_a_chroot, is_deleted, is_replaced,
         is_setuid, is_debugged, has_an_odd_name, has_a_name_that_is_no_text,
         has_many_arguments]

if __name__ == "__main__":
    live.run_all("e2e/odd-targets", TESTS, prepare)
