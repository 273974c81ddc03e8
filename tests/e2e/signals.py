#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Signals while something is recorded, from a terminal and from elsewhere: who gets them, and what
comes of it. The program that is recorded counts them (targets/signals.c); it is the witness."""
import os
import shutil
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
import fxt                      # noqa: E402
from live import Live, Target, expect, expect_order, until      # noqa: E402

INT, TERM, HUP, USR1, USR2 = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1,
                              signal.SIGUSR2)
ATTACHED = "[ Attached. Press Ctrl-C to stop recording. ]"
DETACHING = "[ Got signal, detaching... ]"
TAKEN = "[ Snapshot taken. ]"
FINISHED = "[ Finished recording. ]"
DECODING = "[ Decoding, this takes a while... ]"
# It says that it was called, and waits for the test.
UNTIL_GO = "echo x >\"$place/called\"\nwhile ! [ -e \"$place/go\" ]; do sleep 0.01; done\n"
FOREVER = "echo x >\"$place/called\"\nexec sleep 1000\n"

program = ""                    # targets/signals.c


def counts(ints=0, terms=0, hups=0):
    return "INT %d TERM %d HUP %d\n" % (ints, terms, hups)


def has(place, name):
    return lambda: os.path.exists(place.path(name))


def perf_of(place):
    """perf, which is in no process group of ours."""
    pid = place.find("perf")
    others = [os.getpgid(p) for p, name in place.processes().items() if name != "perf"]
    expect(os.getpgid(pid) not in others, "perf is in the process group of others")
    return pid


def expect_work(run):
    """The trace shows what the program did."""
    names = {span.name for span in fxt.spans(fxt.read(run.trace))}
    expect("work" in names, "no work in the trace: %s" % sorted(names))


# ---- attach ----

def attach_ends_with(place, sig, keys=None):
    target = Target(place, program)
    run = Live(place, "attach", "-pid", str(target.pid), terminal=keys)
    expect(run.ready() == target.pid, "-ready-fd names another process")
    live.until_busy(target.pid)
    perf_of(place)
    run.err.wait(ATTACHED)
    if keys:
        run.terminal.type(keys)
    else:
        run.send(sig)
    said = run.end()
    # a terminal shows the key as well
    expect_order(said.replace("^C", ""), ATTACHED, DETACHING, TAKEN, FINISHED, DECODING)
    expect_work(run)
    target.expect_unharmed()


def attach_ctrl_c(place):
    attach_ends_with(place, INT, "\x03")


def attach_sigterm(place):
    attach_ends_with(place, TERM)


def attach_sighup(place):
    attach_ends_with(place, HUP)


def attach_hangup(place):
    """The terminal goes away: what can be said no more is done all the same."""
    target = Target(place, program)
    run = Live(place, "attach", "-pid", str(target.pid), terminal=True)
    run.ready()
    live.until_busy(target.pid)
    run.terminal.close()
    expect(run.process.wait(live.LIMIT) == 0, "exit status", run.process.returncode)
    expect(not harness.check_trace(run.trace), "the trace is bad")
    target.expect_unharmed()


def killed(place, run):
    """Kills it; perf and the temporary directory have to go, the guard being the last."""
    run.ready()
    perf_of(place)
    run.send(signal.SIGKILL)
    expect(run.process.wait() == -signal.SIGKILL, "it was not killed")


def attach_sigkill(place):
    target = Target(place, program)
    killed(place, Live(place, "attach", "-pid", str(target.pid)))
    until(lambda: not place.left_behind(), lambda: "end of " + str(place.left_behind()))
    target.expect_unharmed()


def attach_sigkill_keeps_working_directory(place):
    target = Target(place, program)
    kept = place.path("kept")
    killed(place, Live(place, "attach", "-pid", str(target.pid), "-working-directory", kept))
    until(lambda: not place.left_behind(), lambda: "end of " + str(place.left_behind()))
    expect(os.path.exists(os.path.join(kept, "perf.data")), "no perf.data:", os.listdir(kept))
    target.expect_unharmed()


# ---- run ----

def run_program(place, *words, args=(), **more):
    """Runs the program until it has begun; (magic-trace, the program's pid)."""
    run = Live(place, "run", *args, program=[program, *words], **more)
    pid = run.ready()
    run.out.wait("started %d\n" % pid)
    run.err.wait("[ Recording process %d. ]" % pid)
    live.until_busy(pid)
    return run, pid


def expect_end(run, pid, ints=0, terms=0, hups=0):
    """The program's end, as SIGUSR1 brings it, ends it all."""
    os.kill(pid, USR1)
    said = run.end()
    expect(counts(ints, terms, hups) in run.out.text(), "the program said:", run.out.text())
    expect("%s (process %d) exited with status 0." % (program, pid) in said, said)
    expect_work(run)


def run_ctrl_c_reaches_the_program_once(place):
    run, pid = run_program(place, terminal=True)
    perf_of(place)
    run.terminal.type("\x03")
    run.out.wait("signal %02d\n" % INT)
    run.err.wait("[ Got signal, process %d has it too. Once more ends the recording. ]" % pid)
    expect(live.is_alive(run.pid) and live.is_alive(pid), "one has ended")
    expect_end(run, pid, ints=1)


def run_second_ctrl_c(place):
    run, pid = run_program(place, "ignore", terminal=True)
    run.terminal.type("\x03")
    run.err.wait("[ Got signal, process %d has it too" % pid)
    run.terminal.type("\x03")
    run.err.wait(DETACHING)
    expect(run.wait() == 0, "exit status", run.process.returncode)
    said = run.terminal.read()
    expect_order(said.replace("^C", ""), DETACHING, TAKEN, FINISHED,
                 "%s (process %d) runs on." % (program, pid))
    expect(list(place.processes()) == [pid], "left:", place.processes())
    expect(live.is_alive(pid) and not live.is_stopped(pid), "the program does not run")
    os.kill(pid, USR1)
    # with us the session had lost its leader: the kernel's SIGHUP
    until(lambda: counts(hups=1) in run.terminal.read(), run.terminal.read)
    run.terminal.close()
    until(lambda: not place.processes(), "end")


def run_passes_on(place, sig, **n):
    run, pid = run_program(place)
    run.send(sig)
    run.out.wait("signal %02d\n" % sig)
    run.err.wait("[ Got signal, process %d has it too" % pid)
    expect_end(run, pid, **n)


def run_sigint(place):
    run_passes_on(place, INT, ints=1)


def run_sigterm(place):
    run_passes_on(place, TERM, terms=1)


def run_sighup(place):
    run_passes_on(place, HUP, hups=1)


def run_hangup(place):
    """Of the terminal: the kernel tells the leader of the session only, which is magic-trace."""
    with open(place.path("stdout"), "wb") as out:
        run = Live(place, "run", program=[program], terminal=True, stdout=out)
        pid = run.ready()
        until(lambda: "started" in live.read(place.path("stdout")), "start")
        live.until_busy(pid)
        run.terminal.close()
        until(lambda: "signal %02d\n" % HUP in live.read(place.path("stdout")), "SIGHUP")
        os.kill(pid, USR1)
        expect(run.process.wait(live.LIMIT) == 0, "exit status", run.process.returncode)
    expect(counts(hups=1) in live.read(place.path("stdout")), live.read(place.path("stdout")))


def run_nohup(place):
    """What is ignored stays ignored: by us, and by the program unless it says otherwise."""
    run, pid = run_program(place, before=["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"])
    ignored = int(live.status_of(run.pid)["SigIgn"], 16)
    expect(ignored & 1 << (HUP - 1), "SIGHUP is not ignored: %x" % ignored)
    run.send(HUP)
    run.send(INT)
    run.out.wait("signal %02d\n" % INT)
    run.err.wait("[ Got signal")
    expect(run.err.text().count("[ Got signal") == 1, run.err.text())
    expect_end(run, pid, ints=1)


def run_hands_down_signals_as_they_were(place):
    """A program finds the mask and the dispositions that it would find without us."""
    before = [sys.executable, "-c", "import os, signal, sys\n"
              "signal.signal(signal.SIGQUIT, signal.SIG_IGN)\n"
              "signal.signal(signal.SIGPIPE, signal.SIG_IGN)\n"
              "signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
              "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGWINCH])\n"
              "os.execvp(sys.argv[1], sys.argv[1:])\n"]
    ask = ["grep", "Sig[BIC]", "/proc/self/status"]
    run = Live(place, "run", program=ask, before=before)
    run.ready()
    run.wait()
    said = live.subprocess.run([*before, *ask], stdout=live.subprocess.PIPE, check=True).stdout
    expect(run.out.text() == said.decode(), run.out.text(), "expected", said)


def run_sigkill(place):
    run = Live(place, "run", program=[program])
    killed(place, run)
    pid = int(until(lambda: run.out.text().partition("\n")[0], "start").split()[1])
    until(lambda: list(place.processes()) == [pid], lambda: "end of " + str(place.processes()))
    expect(not os.listdir(place.tmp), "left:", os.listdir(place.tmp))
    expect(not live.is_stopped(pid), "the program is stopped")
    os.kill(pid, USR1)
    run.out.wait(counts())
    until(lambda: not place.processes(), "end")


def run_sigkill_before_it_began(place):
    """It runs, then, without being recorded."""
    run = Live(place, "run", program=[program], perf=place.perf(record=UNTIL_GO))
    until(has(place, "called"), "perf record")
    expect(run.out.text() == "", "it runs already:", run.out.text())
    run.send(signal.SIGKILL)
    run.process.wait()
    run.out.wait("started")
    pid = int(run.out.text().split()[1])
    until(lambda: list(place.processes()) == [pid], lambda: "end of " + str(place.processes()))
    os.kill(pid, USR1)
    run.out.wait(counts())
    until(lambda: not place.left_behind(), lambda: "end of " + str(place.left_behind()))


# ---- ^Z ----

def shell(place):
    if not shutil.which("bash"):
        raise live.Skip("bash is not installed")
    terminal = live.Terminal()
    process = live.subprocess.Popen(
        ["setsid", "--ctty", "bash", "--norc", "--noprofile", "-i"], stdin=terminal.slave,
        stdout=terminal.slave, stderr=terminal.slave, env=dict(place.env, PS1="", HISTFILE=""))
    os.close(terminal.slave)
    terminal.slave = -1
    return terminal, process


def stopped_and_continued(place, terminal, command, also):
    """Runs the command, stops it with ^Z, and continues it. also(): others that must stop."""
    shown = live.Output(terminal.read)
    terminal.type(command + "\n")
    until(has(place, "ready"), terminal.read)
    pid = until(lambda: live.read(place.path("ready")), terminal.read)
    live.until_busy(int(pid.split()[1]))
    pids = [place.find("magic-trace"), *also()]
    perf = perf_of(place)
    terminal.type("\x1a")
    until(lambda: all(map(live.is_stopped, pids)), terminal.read)
    expect(live.is_alive(perf) and not live.is_stopped(perf), "perf's state:",
           live.status_of(perf).get("State"))
    terminal.type("fg; echo status=$?.\n")
    until(lambda: not any(map(live.is_stopped, pids)), terminal.read)
    return shown


def expect_status(place, terminal, process):
    """The status that the shell has got; and then the shell ends."""
    until(lambda: "status=0." in terminal.read(), terminal.read)
    left = {p: n for p, n in place.processes().items() if n != "bash"}
    expect(not left and not os.listdir(place.tmp), "left:", left, os.listdir(place.tmp))
    expect(not harness.check_trace(place.path("trace.fxt")), "the trace is bad")
    terminal.type("exit\n")
    until(lambda: terminal.read() is not None and process.poll() is not None, "end of the shell")
    terminal.close()


def command_line(place, *args):
    return " ".join([os.path.join(place.build, "magic-trace"), args[0], "-sampling",
                     "-callgraph-mode fp -o trace.fxt -ready-fd 7", *args[1:], "7>ready"])


def attach_ctrl_z(place):
    target = Target(place, program)
    terminal, process = shell(place)
    terminal.type("cd '%s'\n" % place.dir)
    shown = stopped_and_continued(place, terminal,
                                  command_line(place, "attach", "-pid %d" % target.pid), list)
    terminal.type("\x03")
    shown.wait(DETACHING)
    expect_status(place, terminal, process)
    target.expect_unharmed()


def run_ctrl_z_with(place, *args):
    terminal, process = shell(place)
    terminal.type("cd '%s'\n" % place.dir)
    # the command line itself is shown too, up to the program's name
    shown = stopped_and_continued(place, terminal, command_line(place, "run", *args, program),
                                  lambda: [place.find("signals")])
    shown.wait("signal %02d\n" % signal.SIGCONT)
    os.kill(place.find("signals"), USR1)
    shown.wait(counts())
    expect_status(place, terminal, process)
    return shown.text()


def run_ctrl_z(place):
    run_ctrl_z_with(place)


def run_ctrl_z_with_trigger(place):
    live.need_breakpoints()
    said = run_ctrl_z_with(place, "-trigger", "last")
    expect_order(said, TAKEN, FINISHED)
    expect(" called last. ]" in said, said)


# ---- perf is starting, or decoding ----

def ctrl_c_while_perf_starts(place):
    run = Live(place, "run", program=[program], terminal=True, perf=place.perf(record=UNTIL_GO))
    until(has(place, "called"), "perf record")
    run.terminal.type("\x03")
    run.err.wait(DETACHING)
    place.put("go", "")
    said = run.end(status=1, trace=False)
    expect("stopped before anything was recorded" in said, said)
    expect("started" not in said, "the program ran:", said)


def ctrl_c_gives_up_a_perf_that_hangs(place):
    target = Target(place, program)
    run = Live(place, "attach", "-pid", str(target.pid), terminal=True,
               perf=place.perf(record=FOREVER))
    until(has(place, "called"), "perf record")
    run.terminal.type("\x03")
    run.err.wait(DETACHING)
    run.terminal.type("\x03")
    run.err.wait("Once more gives up")
    run.terminal.type("\x03")
    run.end(status=1, trace=False)
    target.expect_unharmed()


def second_ctrl_c_while_decoding(place):
    target = Target(place, program)
    run = Live(place, "attach", "-pid", str(target.pid), terminal=True,
               perf=place.perf(script=FOREVER))
    run.ready()
    run.terminal.type("\x03")
    until(has(place, "called"), "perf script")
    run.err.wait(DECODING)
    run.terminal.type("\x03")
    said = run.end(status=1, trace=False)
    expect("interrupted: no trace was written" in said, said)
    target.expect_unharmed()


def ctrl_c_while_decoding_keeps_the_older_trace(place):
    """And a program that runs on is left alone by it."""
    place.put("trace.fxt", "older")
    run, pid = run_program(place, "ignore", perf=place.perf(script=FOREVER))
    run.send(USR2)
    until(has(place, "called"), "perf script")
    run.send(TERM)
    run.err.wait("interrupted: no trace was written")
    run.err.wait("[ Waiting for process %d to end. ]" % pid)
    os.kill(pid, USR1)
    expect(run.wait() == 1, "exit status", run.process.returncode)
    expect(live.read(run.trace) == "older", "the older trace is gone")
    expect(not place.left_behind(), *place.left_behind())
    run.out.wait(counts())


# ---- SIGUSR2 ----

def sigusr2_takes_a_snapshot(place):
    run, pid = run_program(place)
    run.send(USR2)
    run.err.wait("[ Waiting for process %d to end. ]" % pid)
    expect(live.is_alive(pid), "the program has ended")
    expect_order(run.err.text(), TAKEN, FINISHED, DECODING)
    expect_end(run, pid)


def sigusr2_takes_several(place):
    target = Target(place, program)
    kept = place.path("kept")
    run = Live(place, "attach", "-pid", str(target.pid), "-multi-snapshot",
               "-working-directory", kept)
    run.ready()
    for n in (1, 2, 3):
        live.until_busy(target.pid)
        run.send(USR2)
        run.err.wait(TAKEN, n)
    run.send(INT)
    said = run.end()
    expect(said.count(TAKEN) == 3, said)
    files = [n for n in os.listdir(kept) if n.startswith("perf.data")]
    expect(len(files) == 3, "files:", files)
    expect_work(run)
    target.expect_unharmed()


def sigusr2_too_late(place):
    target = Target(place, program)
    run = Live(place, "attach", "-pid", str(target.pid), perf=place.perf(script=UNTIL_GO))
    run.ready()
    live.until_busy(target.pid)
    run.send(INT)
    until(has(place, "called"), "perf script")
    run.send(USR2)
    run.send(USR2)
    place.put("go", "")
    said = run.end()
    expect(said.count(TAKEN) == 1, said)
    target.expect_unharmed()


def sigusr2_too_early(place):
    """Nothing has run yet that could be in a snapshot."""
    run = Live(place, "run", program=[program], perf=place.perf(record=UNTIL_GO))
    until(has(place, "called"), "perf record")
    run.send(USR2)
    place.put("go", "")
    pid = run.ready()
    run.out.wait("started")
    live.until_busy(pid)
    expect_end(run, pid)


# ---- files that are not there ----

def nobody_reads_stderr(place):
    ours, theirs = os.pipe()
    run = Live(place, "run", program=[program], stderr=theirs)
    os.close(theirs)
    pid = run.ready()
    os.close(ours)
    run.out.wait("started")
    live.until_busy(pid)
    os.kill(pid, USR1)
    expect(run.wait() == 0, "exit status", run.process.returncode)
    expect(not harness.check_trace(run.trace), "the trace is bad")


def nobody_reads_stdout(place):
    """That is the program's affair: it finds SIGPIPE as it would without us."""
    ours, theirs = os.pipe()
    run = Live(place, "run", program=["sh", "-c", "while :; do echo x; done"], stdout=theirs)
    os.close(theirs)
    pid = run.ready()
    os.close(ours)
    said = run.end()
    expect("sh (process %d) was killed by signal %d (" % (pid, signal.SIGPIPE) in said, said)


def closed_files(place):
    """None of ours may be taken for a standard file; the program has none either."""
    run = Live(place, "run", program=[program],
               before=["sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"])
    pid = run.ready()
    live.until_busy(pid)
    files = os.listdir("/proc/%d/fd" % pid)
    os.kill(pid, USR1)
    expect(run.wait() == 0, "exit status", run.process.returncode)
    expect(not files, "the program's files: %s" % files)
    expect(not harness.check_trace(run.trace), "the trace is bad")


def program_reads_the_terminal(place):
    run = Live(place, "run", program=["cat"], terminal=True)
    run.ready()
    run.terminal.type("some words\n")
    # once as it was typed, once from cat
    run.out.wait("some words\n", 2)
    run.terminal.type("\x04")
    said = run.end()
    expect("cat (process" in said and "exited with status 0." in said, said)


TESTS = [
    attach_ctrl_c, attach_sigterm, attach_sighup, attach_hangup, attach_sigkill,
    attach_sigkill_keeps_working_directory, run_ctrl_c_reaches_the_program_once,
    run_second_ctrl_c, run_sigint, run_sigterm, run_sighup, run_hangup, run_nohup,
    run_hands_down_signals_as_they_were, run_sigkill, run_sigkill_before_it_began, attach_ctrl_z,
    run_ctrl_z, run_ctrl_z_with_trigger, ctrl_c_while_perf_starts,
    ctrl_c_gives_up_a_perf_that_hangs, second_ctrl_c_while_decoding,
    ctrl_c_while_decoding_keeps_the_older_trace, sigusr2_takes_a_snapshot, sigusr2_takes_several,
    sigusr2_too_late, sigusr2_too_early, nobody_reads_stderr, nobody_reads_stdout, closed_files,
    program_reads_the_terminal,
]


def prepare(directory):
    global program              # pylint: disable=global-statement
    program = harness.compile_target(directory, "signals.c", "-O1")


if __name__ == "__main__":
    live.run_all("e2e/signals", TESTS, prepare)
