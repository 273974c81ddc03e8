#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the stages behind perf cost, from records in memory to FXT in memory: see records.c.

    tests/bench/stages.py BUILD_DIR [ROUNDS]
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tools")]
from harness import compile_target     # noqa: E402

FIELDS = "pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period"
# calls and jumps, nearly all calls and returns, nearly all jumps
RECORDINGS = [("dlopen", 400), ("fib", 27), ("sort", 1800)]


def measure(build, work, what, size, rounds):
    data, stream = os.path.join(work, "perf.data"), os.path.join(work, "stream")
    plugin = os.path.join(build, "magic-trace-qemu.so")
    subprocess.run(["qemu-x86_64", "-seed", "1", "-plugin", "%s,out=%s" % (plugin, data),
                    os.path.join(work, "rounds"), what, str(size)], check=True)
    with open(stream, "wb") as f:
        subprocess.run(["perf", "script", "-i", data, "--ns", "--itrace=bep", "-F", FIELDS,
                        "--dlfilter=" + os.path.join(build, "magic-trace-dlfilter.so"),
                        "--dlarg=2", "--dlarg=0", "--dlarg=all", "--show-mmap-events",
                        "--show-task-events", "--show-bpf-events"],
                       stdout=f, stderr=subprocess.DEVNULL, check=True)
    print("%s %d" % (what, size), flush=True)
    subprocess.run([os.path.join(build, "tests", "bench", "records"), stream, "0", rounds],
                   check=True)


def main():
    build = os.path.abspath(sys.argv[1])
    if not all(map(shutil.which, ("qemu-x86_64", "perf", "gcc"))):
        print("qemu-x86_64, perf or gcc is not installed")
        return
    with tempfile.TemporaryDirectory() as work:
        compile_target(work, "rounds.c", "-O1", "-ldl")
        for what, size in RECORDINGS:
            measure(build, work, what, size, sys.argv[2] if len(sys.argv) > 2 else "9")


if __name__ == "__main__":
    main()
