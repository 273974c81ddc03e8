#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What goes wrong around single steps and QEMU: we are killed, disks are full, ...

The target, which checks all that it does, lives on and ends as it should; nothing is left behind.
"""
import json
import os
import re
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
from confined import Disk, as_nobody               # noqa: E402
from counting import COUNTED, expect_functions          # noqa: E402
from live import Live, Skip, expect, until              # noqa: E402
from softtrace import cannot_test                       # noqa: E402
from stepped import (INT, SOFTWARE, STEPPER, TAKEN, TERM, Stepped,  # noqa: E402
                     attach, hits_of, recording, said_all, stopped)

STEPS = CALLER = None
STEP, QEMU = ("-software-engine", "step"), ("-software-engine", "qemu")
STOP = "magic_trace_stop_indicator"
ATTACHES = 300 if harness.LONG else 15


def prepare(top):
    global STEPS, CALLER
    STEPS = harness.compile_target(top, "steps.c", "-O1")
    CALLER = harness.compile_target(top, "caller.c", "-O1", "library.c")
    os.chmod(top, 0o755)


def need_qemu():
    p = subprocess.run(["sh", "-c", "command -v qemu-x86_64"], stdout=subprocess.DEVNULL,
                       check=False)
    if p.returncode:
        raise Skip("qemu-x86_64 is not installed")


# ---- we are killed ----

def nothing_is_left(place, but=()):
    until(lambda: not set(place.processes()) - set(but) and not os.listdir(place.tmp),
          lambda: "end of %s, %s" % (place.processes(), os.listdir(place.tmp)))


def killed_attached(place, what, *args):
    """By a signal that we cannot see, the target goes on."""
    target = Stepped(place, STEPS, what)
    for _ in range(2):
        run = recording(place, target, *args)
        place.find(STEPPER)
        run.send(signal.SIGKILL)
        expect(run.wait() == -signal.SIGKILL, "it was not killed")
        nothing_is_left(place)
        target.goes_on()
    target.expect_unharmed()


def killed_while_it_steps(place):
    killed_attached(place, "count")


def killed_while_it_steps_threads(place):
    killed_attached(place, "threads", "-multi-thread")


def killed_while_the_target_waits(place):
    killed_attached(place, "read")


def killed_while_it_runs(place, engine):
    numbers = place.path("numbers")
    run = Live(place, "run", *engine, backend=SOFTWARE, program=[STEPS, numbers, "count"])
    pid = run.ready()
    run.out.wait("ready")
    run.send(signal.SIGKILL)
    expect(run.wait() == -signal.SIGKILL, "it was not killed")
    nothing_is_left(place, [pid])
    expect(live.is_alive(pid), "the program was killed as well")
    os.kill(pid, TERM)
    until(lambda: COUNTED.search(run.out.text()), lambda: run.out.text())
    until(lambda: not live.is_alive(pid), "end of the program")


def killed_while_it_runs_by_steps(place):
    killed_while_it_runs(place, STEP)


def killed_while_it_runs_in_qemu(place):
    need_qemu()
    killed_while_it_runs(place, QEMU)


def told_to_end(place):
    """SIGTERM and SIGHUP are as Ctrl+C."""
    target = Stepped(place, STEPS)
    for sig in TERM, signal.SIGHUP:
        run = recording(place, target)
        stopped(run, TAKEN, sig=sig)
        expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def the_stepper_is_told_to_end(place):
    """It is not for others to tell."""
    target = Stepped(place, STEPS)
    run = recording(place, target)
    stepper = place.find(STEPPER)
    for sig in TERM, INT, signal.SIGHUP:
        os.kill(stepper, sig)
        target.goes_on()
    expect(live.is_alive(stepper), "the stepping process has ended")
    stopped(run, TAKEN)
    expect_functions(run.trace, target.pid, "count", "do_sum", "add")
    target.expect_unharmed()


def the_stepper_is_killed(place):
    """It is said, and that it may have taken the target along."""
    target = Stepped(place, STEPS)
    run = recording(place, target)
    os.kill(place.find(STEPPER), signal.SIGKILL)
    said_all(run.end(1, trace=False), "was killed by signal 9 (Killed) while it recorded",
             "SIGTRAP", "nothing was recorded")


def second_ctrl_c_while_decoding(place):
    target = Stepped(place, STEPS)
    run = recording(place, target, perf=place.perf(script='echo > "$place/called"\n'
                                                          "exec sleep 1000"))
    run.send(INT)
    until(lambda: os.path.exists(place.path("called")), "perf script")
    run.send(INT)
    said_all(run.end(1, trace=False), "interrupted: no trace was written")
    target.expect_unharmed()


# ---- disks and directories ----

def the_disk_is_full(place):
    """When what the ring holds is to be written."""
    with Disk(place, "1m") as disk:
        target = Stepped(place, STEPS)
        run = recording(place, target, env={"TMPDIR": disk})
        Disk.fill(os.path.join(disk, "full"))
        run.send(INT)
        said_all(run.end(1, trace=False), "No space left on device", "TMPDIR")
        expect(os.listdir(disk) == ["full"], os.listdir(disk), "is left")
        target.expect_unharmed()


def the_directory_cannot_be_written(place):
    before = as_nobody(place)
    locked = place.path("locked")
    os.mkdir(locked, 0o755)
    target = Stepped(place, STEPS, before=before)
    run = attach(place, target, before=before, env={"TMPDIR": locked})
    said_all(run.end(1, trace=False), "in %s: Permission denied" % locked, "$TMPDIR")
    target.expect_unharmed()


# ---- magic_trace.h ----

def said_by_caller(text):
    """Where the stop indicator is, and its call: tid, number, and between when it began."""
    address = re.search(r"^address %s (0x[0-9a-f]+)$" % STOP, text, re.M)
    call = re.search(r"^call (\d+) (\d+) (\d+) (\d+) ", text, re.M)
    expect(address and call, "the program said", text)
    return int(address[1], 16), *map(int, call.groups())


def stop_indicator(place, engine, time):
    """What the program passes is in the recording: by single steps, whatever their time is."""
    kept = place.path("kept")
    run = Live(place, "run", *engine, "-software-time", time, "-trigger", ".",
               "-working-directory", kept, backend=SOFTWARE,
               program=[CALLER, "stop", "1", "1000"])
    said_all(run.end(), TAKEN, " called %s. ]" % STOP)
    address, tid, number, low, high = said_by_caller(run.out.text())
    with open(os.path.join(kept, "recording.json"), encoding="utf-8") as f:
        recording_json = json.load(f)
    hits, shown = recording_json["hits"], hits_of(run.trace)
    expect(len(hits) == 1 and len(shown) == 1, hits, shown)
    hit, event = hits[0], shown[0]
    expect(event.args["tid"] == tid or time == "instructions", event, tid)
    if engine == QEMU:
        expect(int(hit["arg"], 16) == 0 and "passed" not in hit, hit)
        return
    expect(int(event.args["ip"], 16) == address, event, hex(address))
    expect(event.args["arg"] == number, event, number)
    if time != "real":
        expect("passed" not in hit, hit)
        return
    slack, passed = 1000000, hit["passed"] + recording_json["wall_clock"]
    expect(low - slack <= passed <= high + slack, passed, "is not within", low, high)
    expect(event.end - event.time == hit["time"] - hit["passed"], event, hit)


def stop_indicator_by_steps(place):
    for time in "virtual", "real":
        stop_indicator(place, STEP, time)
        os.unlink(place.path("trace.fxt"))
        os.unlink(place.path("stdout"))
        os.unlink(place.path("stderr"))
        subprocess.run(["rm", "-r", place.path("kept")], check=True)


def stop_indicator_in_qemu(place):
    need_qemu()
    stop_indicator(place, QEMU, "virtual")


# ---- again and again ----

def again_and_again(place):
    """Nothing is lost by it: no file, no process, no CPU."""
    target = Stepped(place, STEPS, "threads")
    fds = os.listdir("/proc/%d/fd" % target.pid)
    cpus = os.sched_getaffinity(target.pid)
    perf = place.perf(script="exit 0")
    for _ in range(ATTACHES):
        run = attach(place, target, "-multi-thread", perf=perf)
        run.ready()
        run.send(INT)
        run.wait()
        # in so short a time it may not have had its turn
        said = run.err.text()
        expect("[ Finished recording. ]" in said or "executed nothing in that time" in said, said)
        expect(os.listdir(place.tmp) == [], os.listdir(place.tmp))
        os.unlink(place.path("stderr"))
    nothing_is_left(place)
    expect(os.listdir("/proc/%d/fd" % target.pid) == fds, "it has other files")
    expect(os.sched_getaffinity(target.pid) == cpus, "it has other CPUs")
    target.expect_unharmed()


TESTS = [again_and_again, killed_while_it_steps, killed_while_it_steps_threads,
         killed_while_the_target_waits, killed_while_it_runs_by_steps,
         killed_while_it_runs_in_qemu, told_to_end, the_stepper_is_told_to_end,
         the_stepper_is_killed, second_ctrl_c_while_decoding, the_disk_is_full,
         the_directory_cannot_be_written, stop_indicator_by_steps, stop_indicator_in_qemu]

if __name__ == "__main__":
    live.run_all("e2e/software-failures", TESTS, prepare, cannot_test)
