#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes wrong around a recording: perf dies or hangs, disks are full, permission is missing.

Each has to be told with what to do, has to end with the right status, to leave the traced program
alone (it counts, and checks that it has counted right) and nothing behind.

Kernels differ in what they refuse, and this one may refuse nothing. Those that do are played: a
filter of system calls (targets/odd_refuse.c) answers as they would, to us and to the real perf, and
files are mounted over /proc/sys/kernel/perf_event_paranoid. Where that does not do, a stand-in for
perf prints what the real one prints there.
"""
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
from confined import AS_NOBODY, Disk, as_nobody  # noqa: E402
from counting import Counting, COUNTED, expect_functions, work  # noqa: E402
from live import Live, Skip, expect, until                      # noqa: E402

PROGRAM = REFUSE = None


def prepare(top):
    """Compiles the programs, where anybody can read them."""
    global PROGRAM, REFUSE
    PROGRAM = harness.compile_target(top, "odd_target.c")
    REFUSE = harness.compile_target(top, "odd_refuse.c")
    os.chmod(top, 0o755)


def said_all(said, *words):
    for word in words:
        expect(word in said, "%r is not said:" % word, said)


def failed(place, *words, run=None, status=1, **more):
    """magic-trace run, or the one given, ends with this status and says these words."""
    run = run or Live(place, "run", program=[PROGRAM, "count", "40"], **more)
    said = run.end(status, trace=status != 1)
    said_all(said, *words)
    return said


def never_ran(place):
    expect("ready" not in live.read(place.path("stdout")), "the program was run")


def counted_right(run):
    """The program that was run, to its end."""
    lines = run.out.text().splitlines(True)
    expect(len(lines) == 2 and COUNTED.fullmatch(lines[1]), "the program said", lines)
    said_all(run.err.text(), "exited with status 0.")


def attach(place, **more):
    """A target, and magic-trace that records it."""
    target = Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", str(target.pid), **more)
    run.ready()
    work(target.pid)
    return target, run


def stopped(pid, sig=signal.SIGSTOP):
    os.kill(pid, sig)
    until(lambda: live.is_stopped(pid), "stop of %d" % pid)


# ---- perf is no perf ----

def there_is_no_perf(place):
    failed(place, "cannot run /no/such/perf", "linux-perf", "MAGIC_TRACE_PERF_PATH",
           perf="/no/such/perf")
    empty = place.path("empty")
    os.mkdir(empty)
    failed(place, "cannot run perf", "linux-perf", env={"PATH": empty})
    never_ran(place)


def perf_names_no_version(place):
    failed(place, "names no version", "nonsense", "MAGIC_TRACE_PERF_PATH",
           perf=place.perf(version="printf 'nonsense \\033[31m\\377\\n'; exit 0"))
    failed(place, "names no version", perf=place.perf(version="exit 0"))
    failed(place, "exit status 3", "out of order",
           perf=place.perf(version="echo out of order >&2; exit 3"))
    failed(place, "killed by signal 9", perf=place.perf(version="kill -KILL $$"))
    never_ran(place)


def perf_never_names_its_version(place):
    failed(place, "did not answer within 10 s", perf=place.perf(version="exec sleep 1000"))
    never_ran(place)


def perf_refuses(place):
    """What perf says is passed on, and so is what is to be done about it (the stand-in's words are
    those of perf 6.1 when perf_event_paranoid is 3 and when the mlock limit is too small).
    """
    failed(place, "could not record (exit status 255)",
           "Access to performance monitoring and observability operations is limited.",
           "perf_event_paranoid",
           perf=place.perf(record="echo 'Error:' >&2\necho 'Access to performance monitoring and "
                                  "observability operations is limited.' >&2\nexit 255"))
    failed(place, "Permission error mapping pages.", "perf_event_mlock_kb",
           perf=place.perf(record="echo 'Permission error mapping pages.' >&2\nexit 1"))
    never_ran(place)


# ---- perf is killed ----

def perf_is_killed_before_it_records(place):
    for sig in "KILL", "TERM":
        failed(place, "was killed by signal %d" % getattr(signal, "SIG" + sig),
               "before it recorded", perf=place.perf(record="kill -%s $$" % sig))
    never_ran(place)


def perf_ends_before_it_records(place):
    failed(place, "ended before it recorded", perf=place.perf(record="exit 0"))
    never_ran(place)


def perf_is_killed_while_it_records(place):
    """What a ring buffer held is lost with SIGKILL."""
    target, run = attach(place)
    os.kill(place.find("perf"), signal.SIGKILL)
    failed(place, "was killed by signal 9 (Killed) while it recorded", "no trace was written",
           run=run)
    target.expect_unharmed()


def perf_is_killed_while_it_records_a_program(place):
    """The program is waited for."""
    run = Live(place, "run", program=[PROGRAM])
    pid = run.ready()
    work(pid)
    os.kill(place.find("perf"), signal.SIGKILL)
    run.err.wait("[ Waiting for process %d to end. ]" % pid)
    os.kill(pid, signal.SIGTERM)
    failed(place, "was killed by signal 9 (Killed) while it recorded", run=run)
    counted_right(run)


def perf_is_told_to_end_by_somebody(place):
    """Then it writes what it has."""
    target, run = attach(place)
    os.kill(place.find("perf"), signal.SIGTERM)
    failed(place, "was killed by signal 15 (Terminated) while it recorded",
           "this is a part of a recording", run=run, status=3)
    expect_functions(run.trace, target.pid, "count", "count_round")
    target.expect_unharmed()


def perf_is_killed_while_it_stops(place):
    target, run = attach(place)
    perf = place.find("perf")
    stopped(perf)
    run.send(signal.SIGINT)
    run.err.wait("[ Got signal, detaching... ]")
    os.kill(perf, signal.SIGKILL)
    failed(place, "was killed by signal 9 (Killed) while it recorded", "no trace was written",
           run=run)
    target.expect_unharmed()


def perf_is_told_to_end_while_it_stops(place):
    """Whichever comes first: there is a trace, and a warning with status 3, or none with 0."""
    target, run = attach(place)
    perf = place.find("perf")
    stopped(perf)
    run.send(signal.SIGINT)
    run.err.wait("[ Got signal, detaching... ]")
    os.kill(perf, signal.SIGTERM)
    os.kill(perf, signal.SIGCONT)
    status = run.wait()
    said = run.end(status)
    expect(status == (3 if "was killed by signal 15" in said else 0), "status", status, said)
    expect_functions(run.trace, target.pid, "count", "count_round")
    target.expect_unharmed()


def perf_hangs_when_it_is_to_stop(place):
    """A third Ctrl+C gives up."""
    target, run = attach(place)
    stopped(place.find("perf"))
    run.send(signal.SIGINT)
    run.err.wait("[ Got signal, detaching... ]")
    run.send(signal.SIGINT)
    run.err.wait("Once more gives up.")
    run.send(signal.SIGINT)
    failed(place, "no trace was written", run=run)
    target.expect_unharmed()


def perf_never_stops(place):
    target, run = attach(place)
    stopped(place.find("perf"))
    run.send(signal.SIGINT)
    run.process.wait(200)
    failed(place, "did not end 60 s after it was told to", run=run)
    target.expect_unharmed()


def perf_hangs_before_it_records(place):
    """Ctrl+C gives up when it comes often enough; the program never runs."""
    perf = place.perf(record='echo > "$place/begun"; exec sleep 1000')
    for command in ("run", "attach"):
        target = Counting(place, PROGRAM)
        args = {"program": [PROGRAM]} if command == "run" else {}
        ids = () if args else ("-pid", str(target.pid))
        run = Live(place, command, *ids, perf=perf, **args)
        until(lambda: os.path.exists(place.path("begun")), "perf")
        run.send(signal.SIGINT)
        run.err.wait("[ Got signal, detaching... ]")
        run.send(signal.SIGINT)
        run.err.wait("Once more gives up.")
        run.send(signal.SIGINT)
        failed(place, "magic-trace: ", "before anything was recorded", run=run)
        never_ran(place)
        target.expect_unharmed()
        os.unlink(place.path("begun"))
        os.unlink(place.path("stderr"))


def perf_never_records(place):
    run = Live(place, "run", program=[PROGRAM], perf=place.perf(record="exec sleep 1000"))
    run.process.wait(200)
    failed(place, "did not begin to record within 60 s", run=run)
    never_ran(place)


def perf_is_killed_while_it_decodes(place):
    """Half of what it prints is a part of the trace; nothing of it is none."""
    perf = place.perf(script='perf "$@" | head -c 30000; kill -KILL $$')
    target, run = attach(place, perf=perf)
    run.send(signal.SIGINT)
    failed(place, "was killed by signal 9", run=run, status=3)
    expect_functions(run.trace, target.pid, "count", "count_round")
    target.expect_unharmed()
    os.unlink(run.trace)
    target, run = attach(place, perf=place.perf(script="kill -KILL $$"))
    run.send(signal.SIGINT)
    failed(place, "was killed by signal 9", "no trace was written", run=run)
    target.expect_unharmed()


def we_are_killed(place):
    """perf ends with us, and what was temporary is removed: by the guard, which ends then."""
    for command in "attach", "run":
        target = Counting(place, PROGRAM)
        run = Live(place, "attach", "-pid", str(target.pid)) if command == "attach" else \
            Live(place, "run", program=[PROGRAM])
        pid = run.ready()
        place.find("perf")
        # until then SIGTERM would end it without a word
        work(pid)
        run.send(signal.SIGKILL)
        expect(run.wait() == -signal.SIGKILL, "it was not killed")
        until(lambda: not set(place.processes()) - {pid} and not os.listdir(place.tmp),
              lambda: "end of %s, %s" % (place.processes(), os.listdir(place.tmp)))
        if command == "run":
            expect(live.is_alive(pid), "the program was killed as well")
            os.kill(pid, signal.SIGTERM)
            until(lambda: COUNTED.search(run.out.text()), lambda: run.out.text())
            until(lambda: not live.is_alive(pid), "end of the program")
        target.expect_unharmed()


def we_and_the_guard_are_killed(place):
    """perf ends all the same; what is left is named by the next recording."""
    target = Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", str(target.pid))
    run.ready()
    os.kill(place.find("mt-guard"), signal.SIGKILL)
    run.send(signal.SIGKILL)
    expect(run.wait() == -signal.SIGKILL, "it was not killed")
    until(lambda: not place.processes(), lambda: "end of %s" % place.processes())
    left, = [os.path.join(place.tmp, name) for name in os.listdir(place.tmp)]
    for age, is_named in (0, False), (60, True):
        os.utime(left, (time.time() - age,) * 2)
        run = Live(place, "run", program=["/no/such/program"])
        expect(run.wait() == 1, "exit status")
        expect((left + " was left by a recording that was killed" in run.err.text()) == is_named,
               "%d s old:" % age, run.err.text())
        os.unlink(place.path("stderr"))
    subprocess.run(["rm", "-r", left], check=True)
    target.expect_unharmed()


# ---- disks and directories ----

def the_disk_is_small(place):
    with Disk(place, "300k") as disk:
        failed(place, "bytes are free", "-working-directory", run=Live(
            place, "run", "-full-execution", "-working-directory", os.path.join(disk, "d"),
            program=[PROGRAM, "count", "40"]))
        failed(place, "bytes are free", "$TMPDIR", run=Live(
            place, "run", program=[PROGRAM, "count", "40"], env={"TMPDIR": disk}))
        never_ran(place)
        expect(os.listdir(disk) == ["d"], os.listdir(disk), "is left")


def the_disk_is_small_for_everything(place):
    with Disk(place, "3m") as disk:
        failed(place, "less than 64 MiB free", "-full-execution", "-working-directory", run=Live(
            place, "run", "-full-execution", program=[PROGRAM, "count", "40"],
            env={"TMPDIR": disk}))
        never_ran(place)
        expect(os.listdir(disk) == [], os.listdir(disk), "is left")


def the_disk_fills_up(place):
    """-full-execution ends before it is full, and the program goes on."""
    with Disk(place, "68m") as disk:
        run = Live(place, "run", "-callgraph-mode", "dwarf", "-full-execution", program=[PROGRAM],
                   env={"TMPDIR": disk})
        pid = run.ready()
        run.err.wait("[ Waiting for process %d to end. ]" % pid)
        os.kill(pid, signal.SIGTERM)
        failed(place, "recording ended before the disk was full", run=run, status=3)
        counted_right(run)
        expect_functions(run.trace, pid, "count", "count_round")
        expect(os.listdir(disk) == [], os.listdir(disk), "is left")


def the_ring_does_not_fit(place):
    """What perf writes at the end, samples with 8 KiB of stack each, is more than there is room."""
    with Disk(place, "2m") as disk:
        target = Counting(place, PROGRAM)
        run = Live(place, "attach", "-callgraph-mode", "dwarf", "-pid", str(target.pid),
                   env={"TMPDIR": disk})
        run.ready()
        for _ in range(5):
            work(target.pid)
        run.send(signal.SIGINT)
        failed(place, "No space left on device", "TMPDIR", run=run)
        expect(os.listdir(disk) == [], os.listdir(disk), "is left")
        target.expect_unharmed()


def the_trace_does_not_fit(place):
    with Disk(place, "64k") as disk:
        Disk.fill(os.path.join(disk, "full"))
        run = Live(place, "run", "-o", os.path.join(disk, "t.fxt"),
                   program=[PROGRAM, "count", "40"])
        failed(place, "No space left on device", "t.fxt", run=run)
        counted_right(run)
        expect(os.listdir(disk) == ["full"], os.listdir(disk), "is left")


def a_directory_cannot_be_written(place):
    before = as_nobody(place)
    locked = place.path("locked")
    os.mkdir(locked, 0o755)
    program = {"program": [PROGRAM, "count", "40"]}
    failed(place, locked + " cannot be written: Permission denied", run=Live(
        place, "run", "-working-directory", locked, **program, before=before))
    failed(place, "cannot make the directory %s/new: Permission denied" % locked, run=Live(
        place, "run", "-working-directory", locked + "/new", **program, before=before))
    failed(place, "in %s: Permission denied" % locked, "$TMPDIR", run=Live(
        place, "run", env={"TMPDIR": locked}, **program, before=before))
    failed(place, "cannot be written to %s/t.fxt" % locked, "Permission denied", "-output",
           run=Live(place, "run", "-o", locked + "/t.fxt", **program, before=before))
    never_ran(place)


def two_record_at_once(place):
    """Into directories of their own; into one, the second may not."""
    target = Counting(place, PROGRAM)
    kept, pid = place.path("kept"), ("-pid", str(target.pid))
    runs = [Live(place, "attach", "-o", place.path("trace%d.fxt" % i), *pid, *args)
            for i, args in enumerate([(), (), ("-working-directory", kept)])]
    for run in runs:
        run.ready()
    work(target.pid)
    second = Live(place, "attach", "-working-directory", kept, *pid)
    expect(second.wait() == 1, "exit status", second.wait())
    said_all(second.err.text(), "process %d is recording into %s already" % (runs[2].pid, kept),
             "two directories")
    for i, run in enumerate(runs):
        run.send(signal.SIGINT)
        expect(run.wait() == 0, "exit status", run.wait(), run.err.text())
        expect_functions(place.path("trace%d.fxt" % i), target.pid, "count", "count_round")
    expect(sorted(os.listdir(kept)) == ["perf.data", "recording.json"], os.listdir(kept))
    target.expect_unharmed()


# ---- permission ----

def the_process_is_of_another_user(place):
    before = as_nobody(place)
    target = Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", str(target.pid), before=before)
    failed(place, "could not record", "processes of other users", run=run)
    target.expect_unharmed()


def a_user_records(place):
    """What is allowed to everybody (perf_event_paranoid 2) takes no more."""
    before = as_nobody(place)
    if int(live.read("/proc/sys/kernel/perf_event_paranoid")) > 2:
        raise Skip("kernel.perf_event_paranoid is above 2")
    run = Live(place, "run", program=[PROGRAM, "count", "40"], before=before)
    pid = run.ready()
    run.end()
    counted_right(run)
    expect_functions(run.trace, pid, "count", "count_round")


def with_paranoid(place, level):
    """Before a command: it sees kernel.perf_event_paranoid at that level."""
    p = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise Skip("no namespaces: " + p.stderr.decode().strip())
    return ["unshare", "-m", "sh", "-c", "mount --bind '%s' "
            "/proc/sys/kernel/perf_event_paranoid && exec \"$@\""
            % place.put("paranoid", "%d\n" % level), "sh"]


def the_kernel_is_paranoid(place):
    """At 2 users may not record the kernel; at 3 (Debian) and 4 (Ubuntu) nothing at all."""
    as_nobody(place)
    scope = Live(place, "run", "-trace-include-kernel", program=[PROGRAM, "count", "40"],
                 before=[*with_paranoid(place, 2), *AS_NOBODY])
    failed(place, "the kernel may not be recorded", "perf_event_paranoid is 2",
           "perf_event_paranoid=1", run=scope)
    for level in 3, 4:
        run = Live(place, "run", program=[PROGRAM, "count", "40"], before=[
            *with_paranoid(place, level), *AS_NOBODY, REFUSE, "EACCES", "perf_event_open"])
        failed(place, "recording is not allowed: kernel.perf_event_paranoid is %d" % level,
               "CAP_PERFMON", "perf_event_paranoid=2", run=run)
    never_ran(place)


def perf_is_refused_what_we_are_not_asked(place):
    """With MAGIC_TRACE_PERF_IS_PRIVILEGED it is perf that is told: here in its own words."""
    for error in "EACCES", "EPERM":
        run = Live(place, "run", program=[PROGRAM, "count", "40"],
                   env={"MAGIC_TRACE_PERF_IS_PRIVILEGED": "1"},
                   before=[REFUSE, error, "perf_event_open"])
        failed(place, "could not record", run=run)
    never_ran(place)


def a_container_refuses(place):
    failed(place, "perf_event_open(2) is refused although", "seccomp",
           before=[REFUSE, "EPERM", "perf_event_open"])
    failed(place, "cannot run " + PROGRAM, "ptrace", before=[REFUSE, "EPERM", "ptrace"])
    never_ran(place)


# ---- wrong usage ----

WRONG = [                       # arguments of run, a word that must be said
    (["-trace-kernel-only", "-trace-include-kernel"], "exclude each other"),
    (["-callgraph-mode", "dwarf", "-timer-resolution", "Custom(cyc=1)"], "Intel PT"),
    (["-sampling", "-timer-resolution", "Custom(cyc=1)"], "Intel PT"),
    (["-multi-snapshot", "-full-execution"], "exclude each other"),
    (["-duration", "0"], "0"),
    (["-duration", "-1"], "-1"),
    (["-duration", "soon"], "soon"),
    (["-duration", "1e3"], "1e3"),
    (["-duration", "99999999999999999999"], "9999"),
    (["-ready-fd", "x"], "x"),
    (["-ready-fd", "-1"], "-1"),
    (["-ready-fd", "777"], "777"),
    (["-snapshot-size", "0"], "0"),
    (["-snapshot-size", "4X"], "4X"),
    (["-snapshot-size", "4095"], "4095"),
    (["-sampling", "-snapshot-size", "257T"], "257T"),
    (["-timer-resolution", "Fast"], "Fast"),
    (["-timer-resolution", "Sample(0)"], "0"),
    (["-timer-resolution", "Custom(cyc=2)"], "cyc"),
    (["-callgraph-mode", "best"], "best"),
    (["-events", "page-faults"], "page-faults"),
    (["-trigger", ""], "-trigger"),
    (["-filter", "(a"], "filter"),
    (["-o", "x.txt"], "x.txt"),
    (["-share"], "MAGIC_TRACE_SHARE_COMMAND"),
    (["-pid", "1"], "-pid"),
]
WRONG_PIDS = ["0", "-1", "x", "1,", ",1", "1,,2", "1 2", "99999999999", ""]


def is_wrong(place, command, *words):
    env = {k: v for k, v in place.env.items() if k != "MAGIC_TRACE_SHARE_COMMAND"}
    p = subprocess.run([os.path.join(place.build, "magic-trace"), *command], env=env,
                       cwd=place.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=live.LIMIT, check=False)
    said = p.stderr.decode("utf-8", "replace")
    expect(p.returncode == 2, command, "exit status", p.returncode, said)
    said_all(said, *words)
    expect(not p.stdout and os.listdir(place.dir) == ["tmp"] and not os.listdir(place.tmp),
           command, "did something")


def the_command_line_is_wrong(place):
    for args, word in WRONG:
        is_wrong(place, ["run", *args, "--", PROGRAM, "count", "1"], word)
    for pids in WRONG_PIDS:
        is_wrong(place, ["attach", "-pid", pids], "-pid", pids)
    is_wrong(place, ["run"], "needs a program")
    is_wrong(place, ["run", "-sampling"], "needs a program")
    is_wrong(place, ["run", "--"], "needs a program")


TESTS = [there_is_no_perf, perf_names_no_version, perf_refuses,
         perf_is_killed_before_it_records, perf_ends_before_it_records,
         perf_is_killed_while_it_records, perf_is_killed_while_it_records_a_program,
         perf_is_told_to_end_by_somebody, perf_is_killed_while_it_stops,
         perf_is_told_to_end_while_it_stops, perf_hangs_when_it_is_to_stop,
         perf_hangs_before_it_records, perf_is_killed_while_it_decodes,
         we_are_killed, we_and_the_guard_are_killed, the_disk_is_small,
         the_disk_is_small_for_everything, the_disk_fills_up, the_ring_does_not_fit, the_trace_does_not_fit, a_directory_cannot_be_written,
         two_record_at_once, the_process_is_of_another_user, a_user_records,
         the_kernel_is_paranoid, perf_is_refused_what_we_are_not_asked, a_container_refuses,
         the_command_line_is_wrong]

# They wait as long as we do.
LONG_TESTS = [perf_never_names_its_version, perf_never_records, perf_never_stops]

if __name__ == "__main__":
    live.run_all("e2e/record-failures", TESTS + (LONG_TESTS if harness.LONG else []), prepare)
