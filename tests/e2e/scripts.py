#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a script, or another program, needs of `run` and `attach`: when recording is on, how the
program ended, what was said and in which order; and what `check` says of this machine."""
import json
import os
import re
import select
import shlex
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
from live import Live, Target, expect, expect_order, until      # noqa: E402

ATTACHED = "[ Attached. Press Ctrl-C to stop recording. ]"
DETACHING = "[ Got signal, detaching... ]"
TAKEN = "[ Snapshot taken. ]"
FINISHED = "[ Finished recording. ]"
DECODING = "[ Decoding, this takes a while... ]"
UNTIL_GO = "echo x >\"$place/called\"\nwhile ! [ -e \"$place/go\" ]; do sleep 0.01; done\n"
LOG = "printf '%s\\0' \"$@\" >>\"$place/log\"\n"
# Something to be sampled.
WORK = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; "
NOBODY = 65534

program = ""                    # targets/signals.c


def visit(run):
    return "Visit https://magic-trace.org/ and open %s to view trace." % run.trace


def attach(place, *args, **more):
    target = Target(place, program)
    return target, Live(place, "attach", "-pid", str(target.pid), *args, **more)


# ---- when recording is on ----

def messages_of_attach(place):
    target, run = attach(place)
    run.ready()
    live.until_busy(target.pid)
    run.err.wait(ATTACHED)
    run.send(signal.SIGINT)
    expect_order(run.end(), ATTACHED, DETACHING, TAKEN, FINISHED, DECODING, visit(run))
    expect(run.out.text() == "", "on standard output:", run.out.text())


def messages_of_run(place):
    run = Live(place, "run", program=["sh", "-c", WORK + "echo said; exit 3"])
    pid = run.ready()
    expect_order(run.end(), "[ Recording process %d. ]" % pid, TAKEN, FINISHED, DECODING,
                 visit(run), "sh (process %d) exited with status 3." % pid)
    expect(run.out.text() == "said\n", "on standard output:", run.out.text())


def ready_when_recording_is_on(place):
    """Before that the program has not run; it has no file of ours."""
    run = Live(place, "run", program=[program], perf=place.perf(record=UNTIL_GO))
    until(lambda: os.path.exists(place.path("called")), "perf record")
    pid = place.find("signals")
    expect(live.status_of(pid)["State"].startswith("t"), "it is not held:", live.status_of(pid))
    expect(not select.select([run.ready_fd], [], [], 0)[0], "ready before perf is")
    expect(run.out.text() == "", "it runs already:", run.out.text())
    place.put("go", "")
    expect(run.ready() == pid, "-ready-fd names another process")
    live.until_busy(pid)
    expect(live.status_of(pid)["TracerPid"] == "0", "it is still held")
    files = sorted(os.listdir("/proc/%d/fd" % pid))
    expect(files == ["0", "1", "2"], "the program has files:", files)
    os.kill(pid, signal.SIGUSR1)
    run.end()


def ready_on_standard_output(place):
    """The last one counts, and standard output is not closed behind the line."""
    run = Live(place, "run", "-ready-fd", "1", program=["sh", "-c", WORK + "echo said"])
    run.end()
    os.close(run.ready_fd)
    expect(re.fullmatch(r"recording \d+\nsaid\n", run.out.text()), run.out.text())


def ready_that_nobody_reads(place):
    target, run = attach(place)
    os.close(run.ready_fd)
    run.err.wait(ATTACHED)
    live.until_busy(target.pid)
    run.send(signal.SIGINT)
    said = run.end()
    expect("-ready-fd" in said and "Broken pipe" in said, said)


# ---- how long ----

def duration_of_attach(place):
    target, run = attach(place, "-duration", "0.5")
    run.ready()
    expect_order(run.end(), ATTACHED, TAKEN, FINISHED)
    target.expect_unharmed()


def duration_of_run(place):
    """The program runs on, and is waited for."""
    run = Live(place, "run", "-duration", "0.5", program=[program])
    pid = run.ready()
    run.err.wait("[ Waiting for process %d to end. ]" % pid)
    expect(os.path.exists(run.trace), "there is no trace yet")
    os.kill(pid, signal.SIGUSR1)
    expect("exited with status 0." in run.end(), run.err.text())


def while_a_command_runs(place):
    """It begins when recording is on, and has our standard input and output."""
    command = ["sh", "-c", "read line; echo \"$line, $(cat)\"; exit 5"]
    target, run = attach(place, program=command, stdin=subprocess.PIPE)
    expect(run.ready() == target.pid, "-ready-fd names another process")
    live.until_busy(target.pid)
    run.err.wait(ATTACHED)
    run.process.stdin.write(b"one\ntwo\n")
    run.process.stdin.close()
    said = run.end()
    expect(run.out.text() == "one, two\n", run.out.text())
    expect_order(said, ATTACHED, TAKEN, FINISHED, visit(run))
    expect(re.search(r"^sh \(process \d+\) exited with status 5\.$", said, re.M), said)
    target.expect_unharmed()


def ctrl_c_while_a_command_runs(place):
    """Ends the recording, not the command."""
    target, run = attach(place, program=["cat"], stdin=subprocess.PIPE)
    run.ready()
    live.until_busy(target.pid)
    run.send(signal.SIGINT)
    run.err.wait("[ Waiting for process %d to end. ]" % place.find("cat"))
    run.process.stdin.write(b"more\n")
    run.out.wait("more\n")
    run.process.stdin.close()
    expect("exited with status 0." in run.end(), run.err.text())
    target.expect_unharmed()


def command_that_cannot_be_run(place):
    target = Target(place, program)
    plain = place.put("plain", "")
    for pid in (("attach", "-pid", str(target.pid)), ("run",)):
        for command in ("./nonexistent", "nonexistent", plain, place.dir):
            run = Live(place, *pid, program=[command], perf=place.perf(record=LOG))
            said = run.end(status=1, trace=False)
            os.close(run.ready_fd)
            expect("magic-trace: cannot run %s: " % command in said, said)
            os.unlink(place.path("stderr"))
    expect(not os.path.exists(place.path("log")), "perf was started")
    target.expect_unharmed()


# ---- exit statuses ----

def status_with(place, ending, status, word, perf=None, trace=True):
    run = Live(place, "run", "-program-status", program=["sh", "-c", WORK + ending], perf=perf)
    pid = run.ready()
    expect("sh (process %d) %s" % (pid, word) in run.end(status=status, trace=trace),
           run.err.text())


def program_status(place):
    status_with(place, "exit 7", 7, "exited with status 7.")


def program_status_0(place):
    status_with(place, "exit 0", 0, "exited with status 0.")


def program_status_of_a_signal(place):
    status_with(place, "kill -KILL $$", 128 + signal.SIGKILL, "was killed by signal 9 (")


def program_status_needs_a_trace(place):
    status_with(place, "exit 7", 1, "exited with status 7.", perf=place.perf(script="exit 1\n"),
                trace=False)


def program_status_needs_a_whole_trace(place):
    perf = place.perf(script="perf \"$@\"; exit 1\n")
    status_with(place, "exit 7", 3, "exited with status 7.", perf=perf)


def program_status_of_a_command(place):
    target, run = attach(place, "-program-status", program=["sh", "-c", WORK + "exit 9"])
    run.ready()
    run.end(status=9)
    target.expect_unharmed()


# ---- what is run besides ----

def share(place, command, status, output="trace.fxt"):
    path = place.path(output)
    run = Live(place, "run", "-share", "-o", path, program=["sh", "-c", WORK],
               env={"MAGIC_TRACE_SHARE_COMMAND": command})
    run.ready()
    expect(run.wait() == status, "exit status", run.process.returncode, run.err.text())
    expect(not harness.check_trace(path), "the trace is bad")
    return path, run.err.text()


def share_gets_the_path_as_one_argument(place):
    script = place.put("share", "#!/bin/sh\nprintf '%%s\\0' \"$@\" >'%s'\n"
                       % place.path("log"), 0o755)
    path, _ = share(place, "'%s' -to \"a b\"" % script, 0, "a 'b' \"c\" $(d) `e`\n*;&.fxt")
    got = live.read(place.path("log")).split("\0")
    expect(got == ["-to", "a b", path, ""], "the command got", got)


def share_that_fails(place):
    path, said = share(place, "sh -c 'exit 4'", 3)
    expect("magic-trace: %s was not shared: `sh -c 'exit 4'` exited with status 4" % path in said,
           said)


def share_that_is_killed(place):
    path, said = share(place, "sh -c 'kill -TERM $$'", 3)
    expect("%s was not shared: " % path in said and "signal 15 (" in said, said)


def share_without_a_command(place):
    run = Live(place, "run", "-share", program=["touch", place.path("ran")],
               env={"MAGIC_TRACE_SHARE_COMMAND": ""})
    said = run.end(status=2, trace=False)
    os.close(run.ready_fd)
    expect("MAGIC_TRACE_SHARE_COMMAND" in said, said)
    expect(not os.path.exists(place.path("ran")), "the program was run")


def perf_commands_are_shown(place):
    """And are those of the perf that MAGIC_TRACE_PERF_PATH names."""
    perf = place.perf(record=LOG, script=LOG)
    run = Live(place, "run", "-z-print-perf-commands", program=["sh", "-c", WORK], perf=perf)
    run.ready()
    shown = [shlex.split(line)[1:] for line in run.end().splitlines() if line.startswith(perf)]
    got = live.read(place.path("log")).split("\0")[:-1]
    at = got.index("script")
    expect([command[0] for command in shown] == ["record", "script"], "shown:", shown)
    expect(shown[0] == got[:at], "perf got", got[:at], "shown:", shown[0])
    expect("fp" in got[:at], "perf got", got[:at])
    expect(shown[1] == got[at:], "perf got", got[at:], "shown:", shown[1])


def stand_in_fzf(place, script):
    """The environment in which fzf is a script, and the list is in the file `list`."""
    os.mkdir(place.path("bin"))
    place.put("bin/fzf", "#!/bin/sh\ncat >'%s'\n%s\n" % (place.path("list"), script), 0o755)
    return {"PATH": place.path("bin") + ":" + os.environ["PATH"]}


def attach_to_a_process_that_is_chosen(place):
    target = Target(place, program)
    env = stand_in_fzf(place, "grep '^ *%d ' '%s'" % (target.pid, place.path("list")))
    run = Live(place, "attach", terminal=True, env=env)
    expect(run.ready() == target.pid, "another process was chosen")
    live.until_busy(target.pid)
    run.terminal.type("\x03")
    said = run.end()
    expect("[ Process %d; -pid %d names it without being asked. ]" % (target.pid, target.pid)
           in said, said)
    listed = [int(line.split()[0]) for line in live.read(place.path("list")).splitlines()]
    expect(os.getpid() in listed and run.pid not in listed, "listed:", listed)
    target.expect_unharmed()


def nothing_is_chosen(place):
    run = Live(place, "attach", terminal=True, env=stand_in_fzf(place, "exit 130"))
    os.close(run.ready_fd)
    said = run.end(status=1, trace=False)
    expect("nothing was chosen" in said and "-pid" in said, said)


def nobody_can_choose(place):
    run = Live(place, "attach", env=stand_in_fzf(place, "exit 1"))
    os.close(run.ready_fd)
    said = run.end(status=1, trace=False)
    expect("no terminal" in said and "-pid" in said, said)
    expect(not os.path.exists(place.path("list")), "fzf was run")


# ---- the cost of waiting ----

def wakeups(pids):
    return sum(int(live.status_of(p)["voluntary_ctxt_switches"]) for p in pids)


def an_armed_trigger_costs_nothing(place):
    """Neither magic-trace nor perf looks now and then whether something has happened."""
    live.need_breakpoints()
    target = Target(place, program, "sleep")
    run = Live(place, "attach", "-pid", str(target.pid), "-trigger", "last")
    run.ready()
    run.err.wait(ATTACHED)
    pids = [run.pid, place.find("perf")]
    # until both have come to rest
    until(lambda: all(live.status_of(p)["State"][0] == "S" for p in pids), "sleep")
    before = wakeups(pids)
    live.time.sleep(1)
    woken = wakeups(pids) - before
    expect(woken < 50, "woken up %d times in a second" % woken)
    target.kill()
    run.wait()


# ---- check ----

def check(place, *args, user=None, env=None):
    how = {"user": user, "group": user, "extra_groups": []} if user else {}
    try:
        ended = harness.program(place.build, "check", *args,
                                env=dict({"TMPDIR": "/tmp"}, **(env or {})), **how)
    except PermissionError as e:
        raise live.Skip("cannot be another user: %s" % e) from None
    expect(ended.stderr == "", ended.stderr)
    return ended


def items_of(ended):
    """The items of the JSON form by name."""
    about = json.loads(ended.stdout)
    items = {item["name"]: item for item in about["items"]}
    expect(len(items) == len(about["items"]), "a name is there twice")
    for item in about["items"]:
        expect(item["state"] in ("good", "poor", "missing"), item)
        expect(item["what"] and (item["state"] == "good" or item["remedy"]), item)
    return about, items


def sysctl(name):
    return live.read("/proc/sys/kernel/" + name).strip()


def check_agrees_with_the_system(place):
    env = stand_in_fzf(place, "")
    env["DEBUGINFOD_URLS"] = "http://localhost:1"
    ended = check(place, "-json", env=env)
    about, items = items_of(ended)
    there = os.path.exists("/sys/bus/event_source/devices/intel_pt")
    expect((items["Intel PT"]["state"] != "missing") == there, items["Intel PT"])
    version = subprocess.run(["perf", "--version"], stdout=subprocess.PIPE, check=True).stdout
    facts = {
        "perf": version.decode().split()[2],
        "perf_event_paranoid": sysctl("perf_event_paranoid"),
        "max sample rate": sysctl("perf_event_max_sample_rate"),
        "fzf": place.path("bin/fzf"),
        "free space": "/tmp",
    }
    for name, fact in facts.items():
        expect(fact in items[name]["what"], name, "should be", fact, items[name])
    expect(items["debuginfod"]["state"] == "good", items["debuginfod"])
    has_yama = os.path.exists("/proc/sys/kernel/yama/ptrace_scope")
    expect(has_yama != ("no YAMA" in items["YAMA ptrace_scope"]["what"]),
           items["YAMA ptrace_scope"])
    expect(ended.status == 0 and about["records"] == ("intel_pt" if there else "sampling"), about)


def check_prints_the_same_as_a_table(place):
    _, items = items_of(check(place, "-json"))
    ended = check(place)
    for name, item in items.items():
        row = re.search(r"^%s +%s +(.*)$" % (re.escape(name), item["state"]), ended.stdout, re.M)
        expect(row, name, "is not in:", ended.stdout)
        # the space that is free may have changed
        expect(name == "free space" or row.group(1) == item["what"], row.group(0), item)
    expect(ended.status == 0, "exit status", ended.status)


def check_without_perf(place):
    for args in ((), ("-json",)):
        ended = check(place, *args, env={"MAGIC_TRACE_PERF_PATH": "/nonexistent/perf"})
        expect(ended.status == 1, "exit status", ended.status)
        expect("/nonexistent/perf" in ended.stdout and "linux-perf" in ended.stdout, ended.stdout)
    expect(json.loads(ended.stdout)["records"] is None, ended.stdout)


def check_as_another_user(place):
    """The truth is whether perf records for that user."""
    if os.geteuid() != 0:
        raise live.Skip("the test is not run by root")
    ended = check(place, "-json", user=NOBODY)
    about, items = items_of(ended)
    expect(items["CAP_PERFMON"]["state"] != "good", items["CAP_PERFMON"])
    os.chmod(place.tmp, 0o1777)
    os.chmod(place.dir, 0o755)
    os.chmod(place.top, 0o755)
    perf = subprocess.run(["perf", "record", "-o", os.path.join(place.tmp, "d"), "-e",
                           "cpu-clock:u", "true"], user=NOBODY, group=NOBODY, extra_groups=[],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for name in os.listdir(place.tmp):
        os.unlink(os.path.join(place.tmp, name))
    expect((perf.returncode == 0) == (ended.status == 0), "perf:", perf.returncode, about)
    expect((about["records"] is None) == (ended.status != 0), about)


def check_to_a_full_device(place):
    with open("/dev/full", "wb") as full:
        p = subprocess.run([os.path.join(place.build, "magic-trace"), "check"], stdout=full,
                           stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    expect(p.returncode == 1 and b"standard output" in p.stderr, p)


TESTS = [
    messages_of_attach, messages_of_run, ready_when_recording_is_on, ready_on_standard_output,
    ready_that_nobody_reads, duration_of_attach, duration_of_run, while_a_command_runs,
    ctrl_c_while_a_command_runs, command_that_cannot_be_run, program_status, program_status_0,
    program_status_of_a_signal, program_status_needs_a_trace, program_status_needs_a_whole_trace,
    program_status_of_a_command, share_gets_the_path_as_one_argument, share_that_fails,
    share_that_is_killed, share_without_a_command, perf_commands_are_shown,
    attach_to_a_process_that_is_chosen, nothing_is_chosen, nobody_can_choose,
    an_armed_trigger_costs_nothing, check_agrees_with_the_system,
    check_prints_the_same_as_a_table, check_without_perf, check_as_another_user,
    check_to_a_full_device,
]


def prepare(directory):
    global program              # pylint: disable=global-statement
    program = harness.compile_target(directory, "signals.c", "-O1")


if __name__ == "__main__":
    live.run_all("e2e/scripts", TESTS, prepare)
