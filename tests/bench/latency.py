#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long it takes until a process is recorded, and from a trigger's hit until perf is asked for a
snapshot; and what of that is in the target's way. Sampled stacks, since Intel PT is rare.

usage: latency.py BUILD [TIMES]         how often each is done (default 20)
"""
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import live                              # noqa: E402
from harness import compile_target       # noqa: E402

IDLE = 5                                 # seconds that nothing happens
BUSY = 20000                             # us that the target is busy before a call

# A perf that notes when it is asked for a snapshot, and has the real one do it all.
PERF = """#!%s
import os, signal, subprocess, sys, time
if sys.argv[1] != "record":
    os.execvp("perf", ["perf"] + sys.argv[1:])
log = open(%r, "w", buffering=1)
perf = subprocess.Popen(["perf"] + sys.argv[1:], close_fds=False)
def asked(sig, frame):
    now = time.time_ns()
    perf.send_signal(sig)
    log.write("%%d\\n" %% now)
for sig in (signal.SIGUSR2, signal.SIGTERM, signal.SIGINT):
    signal.signal(sig, asked)
os._exit(perf.wait())
"""


def cpu_ticks(pids):
    """What processes have had of the CPU so far, in ticks of 10 ms."""
    fields = [live.read("/proc/%d/stat" % pid).rpartition(")")[2].split() for pid in pids]
    return sum(int(f[11]) + int(f[12]) for f in fields)


def attach(build, work, times):
    """How long it takes until recording is on, and what waiting costs."""
    program = compile_target(work, "signals.c", "-O1")
    for args in ((), ("-trigger", "last"), ("-multi-thread", "-trigger", "last")):
        took = []
        for i in range(times):
            place = live.Place(build, work, "attach")
            target = live.Target(place, program, "sleep")
            began = time.monotonic()
            run = live.Live(place, "attach", "-pid", str(target.pid), *args)
            run.ready()
            took.append((time.monotonic() - began) * 1e3)
            if i + 1 < times:
                run.send(signal.SIGINT)
                run.wait()
                place.close()
        pids = [run.pid, place.find("perf")]
        before = cpu_ticks(pids)
        time.sleep(IDLE)
        share = (cpu_ticks(pids) - before) / IDLE
        run.send(signal.SIGINT)
        run.wait()
        place.close()
        print("attach %-29s recording after %4.0f ms (median of %d; best %.0f); waiting: "
              "magic-trace and perf %.2f %% of a CPU"
              % (" ".join(args), statistics.median(took), times, min(took), share), flush=True)


def request(build, work, times):
    """How long it takes from a call of the function to the signal that asks perf."""
    program = compile_target(work, "caller.c", "-O1", "-g", "library.c")
    place = live.Place(build, work, "request")
    log = place.path("asked")
    perf = place.put("perf", PERF % (sys.executable, log), 0o755)
    target = subprocess.Popen([program, "stop", str(times), str(BUSY), "ask"], text=True, bufsize=1,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    run = live.Live(place, "attach", "-pid", str(target.pid), "-trigger", ".", "-multi-snapshot",
                    perf=perf)
    run.ready()
    called = []
    for i in range(times):
        target.stdin.write("\n")
        while len(called) == i:
            words = target.stdout.readline().split()
            if words[0] == "call":
                called.append(int(words[5]))
        run.err.wait("[ Snapshot taken. ]", i + 1)
    target.stdin.close()
    target.wait()
    target.stdout.close()
    run.wait()
    asked = [int(line) for line in live.read(log).splitlines()]
    took = [min(a - c for a in asked if a > c) / 1e3 for c in called]
    place.close()
    print("from before the call of a function to perf's having been asked for a snapshot: median "
          "%.0f us, best %.0f us, worst %.0f us, of %d"
          % (statistics.median(took), min(took), max(took), times), flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    why = live.why_not()
    if why:
        print(why)
        return
    with tempfile.TemporaryDirectory() as work:
        request(build, work, times)
        attach(build, work, times)


if __name__ == "__main__":
    main()
