#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A perf that is slow, talks without end, dies of any signal, or cannot be told to end; pipes that
are full, or that nobody reads.

What is said, the exit status, what is left (nothing), and that there is a whole trace or none.
"""
import os
import random
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import fxt                      # noqa: E402
import harness                  # noqa: E402
import lines                    # noqa: E402
import live                     # noqa: E402
from counting import Counting, work     # noqa: E402
from live import Live, expect   # noqa: E402

GOOD = lines.good(200)
# Those that end a process, and are not for the C library or the kernel alone.
ENDING = [s for s in range(1, 32) if s not in (signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP,
          signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGURG, signal.SIGWINCH)]
TALK = 2**30 if harness.LONG else 2**23         # bytes
MEMORY = 64 * 2**20                             # that it may take, whatever perf says
PROGRAM = None


def prepare(top):
    global PROGRAM
    PROGRAM = harness.compile_target(top, "odd_target.c", "-static")


def decode(place, script, *args, status=0, timeout=live.LIMIT, output=None, **more):
    """Decodes GOOD with a perf whose `script` is some lines of shell ($data is what it is to read),
    and checks what must always be so; (what was said, calls in the trace)."""
    place.put("perf.data", GOOD)
    perf = place.put("perf", "#!/bin/sh\n"
                     "[ \"$1\" = script ] || { echo perf version 6.1.0; exit; }\n"
                     "while [ \"$1\" != -i ]; do shift; done; data=$2\n" + script, 0o755)
    trace = place.path("trace.fxt")
    ended = harness.program(place.build, "decode", *args, "-o", output or trace,
                            "-working-directory", place.dir, timeout=timeout,
                            env=dict(place.env, MAGIC_TRACE_PERF_PATH=perf), **more)
    expect(ended.status == status, "status", ended.status, "expected", status, ended.stderr)
    left = place.left_behind()
    expect(not left, *left)
    has = os.path.exists(trace)
    expect(has == (status != 1) or output, "trace:", has, ended.stderr)
    begins = 0
    if has:
        faults = harness.check_trace(trace)
        expect(not faults, *faults)
        begins = sum(e.ph == "B" for e in fxt.read(trace))
        os.unlink(trace)
    return ended.stderr, begins


# ---- what perf does ----

def is_slow(place):
    """It pauses in lines and between them: all of them are in the trace."""
    said, begins = decode(place, "head -c 1000 \"$data\"; sleep 0.2; echo slow >&2; sleep 0.2\n"
                          "tail -c +1001 \"$data\" | { head -c 3001; sleep 0.2; cat; }\n")
    expect(begins == 201, begins, said)


def talks_in_lines(place):
    talks(place, "yes 'this is what perf has to say of it'")


def talks_in_one_line(place):
    talks(place, "tr '\\0' x </dev/zero")


def talks(place, command):
    """Without end, before and behind what it prints: memory does not grow with it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    script = "%s | head -c %d >&2\ncat \"$data\"\n%s | head -c %d >&2\nexit 0\n" % (
        command, TALK, command, TALK // 16)
    said, begins = decode(place, script, timeout=300)
    expect(begins == 201, begins, said)
    expect(len(said) < 20000, len(said), "bytes are passed on")
    grown = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    expect(grown < max(MEMORY, before * 1024 + 1), "it took %d bytes" % grown)


def prints_garbage_without_end(place):
    """No newline, ever: it is cut off, and perf is waited for."""
    decode(place, "tr '\\0' x </dev/zero | head -c %d\n" % TALK, status=1, timeout=300)


def dies_of_each_signal(place):
    """Before, amid and behind what it prints: a part, or nothing, and which signal it was."""
    generator = random.Random(7)
    for sig in ENDING:
        size = generator.choice([0, 1, 60, len(GOOD) // 2, len(GOOD)])
        if not harness.LONG and sig % 5 != 1:
            continue
        # no shell survives long enough to say anything of it; and no file of its memory
        script = "ulimit -c 0; head -c %d \"$data\"; kill -%d $$; sleep 10\n" % (size, sig)
        said, begins = decode(place, script, status=3 if size > 60 else 1)
        expect("killed by signal %d (%s)" % (sig, signal.strsignal(sig)) in said, sig, said)
        expect((begins > 0) == (size > 60), size, begins, said)


def closes_its_output_and_talks_on(place):
    said, begins = decode(place, "cat \"$data\"; exec >&-; yes | head -c %d >&2; exit 1\n" % TALK,
                          status=3, timeout=300)
    expect(begins == 201, begins, said)


def leaves_a_process_with_its_pipes(place):
    """Its grandchild, in a session of its own, holds them: perf's end is what counts."""
    said, begins = decode(place, "cat \"$data\"\nsetsid env -u %s sleep 3 &\nexit 0\n"
                          % harness.MARK)
    expect(begins == 201, begins, said)


def ignores_sigterm(place):
    """The real one, told to end by us: it is killed in the end."""
    perf = place.perf(record="trap '' TERM INT; perf \"$@\"; echo > \"$place/ended\"\n"
                             "while :; do sleep 0.1; done\n")
    target = Counting(place, PROGRAM)
    run = Live(place, "attach", "-pid", str(target.pid), perf=perf)
    run.ready()
    work(target.pid)
    run.send(signal.SIGINT)
    live.until(lambda: os.path.exists(place.path("ended")), "end of perf")
    for word in "Once more gives up", None:
        run.send(signal.SIGINT)
        if word:
            run.err.wait(word)
    # what it has written is whole
    status = run.wait()
    expect(status in (0, 3), status, run.err.text())
    run.end(status)
    target.expect_unharmed()


def dies_while_it_records(place):
    """The real one, of each signal: the target is as it was."""
    target = Counting(place, PROGRAM)
    for sig in ENDING if harness.LONG else [signal.SIGSEGV]:
        run = Live(place, "attach", "-pid", str(target.pid), "-duration", "1")
        run.ready()
        os.kill(place.find("perf"), sig)
        status = run.wait()
        said = run.err.text()
        expect(status in (0, 1, 3), "signal", sig, "status", status, said)
        expect(status == 0 or "signal %d" % sig in said, "signal", sig, "is not told:", said)
        run.end(status, trace=status != 1)
        os.unlink(place.path("stderr"))
        for name in "trace.fxt", "trace.fxt.old":
            if os.path.exists(place.path(name)):
                os.unlink(place.path(name))
    target.expect_unharmed()


# ---- what those do who read from us ----

def nobody_reads_the_trace(place):
    """A pipe that is closed: an error, and no SIGPIPE."""
    ours, theirs = os.pipe()
    os.close(ours)
    said, _ = decode(place, "cat \"$data\"\n", status=1, output="/dev/fd/%d" % theirs,
                     pass_fds=[theirs])
    os.close(theirs)
    expect("Broken pipe" in said, said)


def who_reads_the_trace_is_slow(place):
    """More than a pipe holds."""
    place.put("perf.data", lines.good(20000))
    ours, theirs = os.pipe()
    with open(place.path("got"), "wb") as got, \
            subprocess.Popen(["sh", "-c", "sleep 0.3; head -c 100; sleep 0.3; cat"], stdin=ours,
                             stdout=got) as slow:
        os.close(ours)
        ended = harness.program(place.build, "decode", "-o", "/dev/fd/%d" % theirs,
                                "-working-directory", place.dir, pass_fds=[theirs],
                                env=dict(place.env, **harness.REPLAY))
        os.close(theirs)
        slow.wait()
    expect(ended.status == 0, ended.stderr)
    faults = harness.check_trace(place.path("got"))
    expect(not faults, *faults)
    expect(sum(e.ph == "B" for e in fxt.read(place.path("got"))) == 20001, "calls are missing")


def nobody_reads_what_we_say(place):
    """Standard error is closed, or a pipe that is: the trace is as ever."""
    place.put("perf.data", GOOD)
    for end in "2>&-", "2>&1 >/dev/null | :":
        status = place.path("status")
        command = "{ \"$@\"; echo $? >'%s'; } %s" % (status, end)
        subprocess.run(["bash" if "|" in end else "sh", "-c", command, "sh",
                        os.path.join(place.build, "magic-trace"), "decode", "-o",
                        place.path("trace.fxt"), "-working-directory", place.dir],
                       env=dict(place.env, **harness.REPLAY), stdin=subprocess.DEVNULL,
                       check=False, timeout=live.LIMIT)
        expect(live.read(status) == "0\n", end, live.read(status))
        faults = harness.check_trace(place.path("trace.fxt"))
        expect(not faults, *faults)
        os.unlink(place.path("trace.fxt"))
    nobody_hears_that_we_record(place)


def nobody_hears_that_we_record(place):
    """The pipe of -ready-fd."""
    ours, theirs = os.pipe()
    os.close(ours)
    ended = harness.program(place.build, "run", "-sampling", "-callgraph-mode", "fp", "-ready-fd",
                            str(theirs), "-o", place.path("trace.fxt"), "--", PROGRAM, "count",
                            "40", env=place.env, pass_fds=[theirs])
    os.close(theirs)
    expect(ended.status == 0 and "Broken pipe" in ended.stderr, ended.status, ended.stderr)
    faults = harness.check_trace(place.path("trace.fxt"))
    expect(not faults, *faults)


TESTS = [is_slow, talks_in_lines, talks_in_one_line, prints_garbage_without_end,
         dies_of_each_signal, closes_its_output_and_talks_on, leaves_a_process_with_its_pipes,
         ignores_sigterm, dies_while_it_records, nobody_reads_the_trace,
         who_reads_the_trace_is_slow, nobody_reads_what_we_say]

if __name__ == "__main__":
    live.run_all("faults/perfs", TESTS, prepare)
