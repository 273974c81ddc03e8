#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long recordings of Intel PT take to decode: from perf.data to the trace file.

    tests/bench/pt.py BUILD_DIR [RUNS [PER CENT OF THE SIZES]]

The recordings are made here by QEMU's plugin. Each command runs so often (default 5), one after the
other in turn, so that what else the machine does is the same for all; what counts is the ratio to
`perf script` that prints its text to /dev/null. Prints a table, and writes BUILD_DIR/bench-pt.json.
"""
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools")]
from harness import TOP, compile_target     # noqa: E402

FIELDS = "pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period"
RECORDINGS = [("dlopen", 1000), ("fib", 30), ("sort", 1800)]      # rounds' arguments
NAMES = ["perf: text", "perf: records", "text path", "record path"]


def commands(build, data, output):
    """What is measured, by name, with its environment."""
    script = ["perf", "script", "-i", data, "--ns", "--itrace=bep", "-F", FIELDS]
    records = ["--dlfilter=" + os.path.join(build, "magic-trace-dlfilter.so"), "--dlarg=2",
               "--dlarg=0", "--show-mmap-events", "--show-task-events", "--show-bpf-events"]
    decode = [os.path.join(build, "magic-trace"), "decode", "-o", output, data]
    return dict(zip(NAMES, ((script, {}), (script + records, {}),
                            (decode, {"MAGIC_TRACE_NO_DLFILTER": "1"}), (decode, {}))))


def memory_of(pid, peak):
    """Follows how much memory a process has had at most, in kB."""
    try:
        while True:
            with open("/proc/%d/status" % pid) as f:
                for line in f:
                    if line.startswith("VmHWM:"):
                        peak[0] = int(line.split()[1])
            time.sleep(0.02)
    except (OSError, ValueError):
        pass


def run(argv, env):
    """Seconds, seconds of CPU (with those of children), and kB of memory of the process itself."""
    before, began, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), [0]
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=dict(os.environ, **env))
    follower = threading.Thread(target=memory_of, args=(p.pid, peak), daemon=True)
    follower.start()
    if p.wait():
        sys.exit("%s: status %d" % (" ".join(argv), p.returncode))
    wall = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, peak[0])


def branches(data):
    out = subprocess.run(["perf", "script", "-i", data, "--itrace=b", "-F", "ip"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return out.count(b"\n")


def measure(build, work, what, size, runs):
    data, output = os.path.join(work, "perf.data"), os.path.join(work, "trace.fxt.gz")
    subprocess.run(["qemu-x86_64", "-seed", "1", "-plugin",
                    "%s,out=%s" % (os.path.join(build, "magic-trace-qemu.so"), data),
                    os.path.join(work, "rounds"), what, str(size)], check=True)
    todo = commands(build, data, output)
    got = {name: [] for name in todo}
    for _ in range(runs):
        for name, (argv, env) in todo.items():
            got[name].append(run(argv, env))
    n = branches(data)
    print("%s %d: %.2f million branches, perf.data %.1f MB, trace %.1f MB" %
          (what, size, n / 1e6, os.path.getsize(data) / 1e6, os.path.getsize(output) / 1e6))
    base = [statistics.median(x) for x in zip(*got[NAMES[0]])]
    result = {"branches": n, "trace": os.path.getsize(output)}
    for name, rows in got.items():
        wall, cpu, memory = (statistics.median(x) for x in zip(*rows))
        best = min(r[0] for r in rows)
        result[name] = {"seconds": wall, "best": best, "cpu": cpu, "kB": memory}
        print("  %-14s %6.2f s (best %6.2f), %6.2f s of CPU, %4.0f MB; of perf's text %5.2f, CPU "
              "%5.2f; %5.2f million branches/s" %
              (name, wall, best, cpu, memory / 1e3, wall / base[0], cpu / base[1],
               n / best / 1e6), flush=True)
    ours = result["record path"]["cpu"] / result["perf: records"]["cpu"] - 1
    print("  beyond perf's own CPU in the record path: %.2f of it; the reader alone:" % ours,
          flush=True)
    reading(build, work, todo["perf: records"][0])
    return result


def reading(build, work, script):
    """How fast the reader takes what perf writes, from memory."""
    stream = os.path.join(work, "stream")
    with open(stream, "wb") as f:
        subprocess.run(script, stdout=f, stderr=subprocess.DEVNULL, check=True)
    subprocess.run([os.path.join(build, "tests", "bench", "text"), stream, "300", "0"], check=True)
    os.unlink(stream)


def said_by(*argv):
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                       check=False, cwd=TOP)
    return p.stdout.strip()


def main():
    build = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    share = int(sys.argv[3]) / 100 if len(sys.argv) > 3 else 1
    if not all(map(shutil.which, ("qemu-x86_64", "perf", "gcc"))):
        print("qemu-x86_64, perf or gcc is not installed")
        return
    results = {"machine": platform.processor() or platform.machine(), "cpus": os.cpu_count(),
               "kernel": platform.release(), "perf": said_by("perf", "--version"),
               "commit": said_by("git", "describe", "--always", "--dirty"), "runs": runs}
    with tempfile.TemporaryDirectory() as work:
        compile_target(work, "rounds.c", "-O1", "-ldl")
        for what, size in RECORDINGS:
            if what != "fib":
                size = max(1, int(size * share))
            results[what] = measure(build, work, what, size, runs)
    with open(os.path.join(build, "bench-pt.json"), "w") as f:
        json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
