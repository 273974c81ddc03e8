#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long recordings of Intel PT take to decode: from perf.data to the trace file.

    tests/bench/pt.py BUILD_DIR [RUNS [PER CENT OF THE SIZES [RECORDING ...]]]

The recordings are made here by QEMU's plugin. Each way to decode one runs so often (default 5), one
after the other in turn, so that what else the machine does is the same for all; what counts is the
ratio to `perf script` that prints its text to /dev/null. Prints tables, and writes
BUILD_DIR/bench-pt.json.
"""
import json
import math
import os
import re
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
REFERENCE = ["-stacks", "reference", "-time-spread", "reference", "-inline", "off"]
BASE = "perf: text to /dev/null"
RECORDS = "perf: records to /dev/null"
TICK = os.sysconf("SC_CLK_TCK")


def programs(work, share):
    """What is recorded, by name."""
    def size(n):
        return str(max(1, int(n * share)))

    rounds, packed = os.path.join(work, "rounds"), os.path.join(work, "to-pack")
    with open(packed, "wb") as f:
        f.write(b"".join(b"%d: %d\n" % (i, i * i) for i in range(int(size(20000)))))
    return {
        "dlopen": [rounds, "dlopen", size(1000)],   # a library is loaded and unloaded
        # nearly all branches are calls and returns; two more, and there are 2.6 times as many
        "fib": [rounds, "fib", str(30 + round(2 * math.log(share, 2.618)))],
        "python": [sys.executable, "-S", "-c", "pass"],
        "xz": [shutil.which("xz"), "-0", "-T2", "--block-size=64KiB", "-c", packed],   # threads
        "sort": [rounds, "sort", size(1800)],       # nearly all branches are jumps
    }


def ways(build, data, output):
    """What is measured, by name, with its environment."""
    script = ["perf", "script", "-i", data, "--ns", "--itrace=bep", "-F", FIELDS]
    records = script + ["--dlfilter=" + os.path.join(build, "magic-trace-dlfilter.so"),
                        "--dlarg=2", "--dlarg=0", "--show-mmap-events", "--show-task-events",
                        "--show-bpf-events"]
    decode = [os.path.join(build, "magic-trace"), "decode", "-o", output, data]
    one = decode + ["-jobs", "1"]
    return {
        BASE: (script, {}),
        "perf: text through a pipe": (["sh", "-c", '"$@" | cat', "sh"] + script, {}),
        RECORDS: (records + ["--dlarg=all"], {}),
        "perf: records, jumps dropped": (records, {}),
        "decode": (one, {}),
        "decode -inline off": (one + ["-inline", "off"], {}),
        "decode by the reference's rules": (one + REFERENCE, {}),
        "decode -jobs 2": (decode + ["-jobs", "2"], {}),
        "decode -last 10%": (one + ["-last", "10%"], {}),
        "decode, text path": (one, {"MAGIC_TRACE_NO_DLFILTER": "1"}),
    }


def follow(pid, seen):
    """What a process itself, without its children, has of CPU (s) and had of memory (kB)."""
    try:
        while True:
            with open("/proc/%d/stat" % pid) as f:
                fields = f.read().rpartition(")")[2].split()
            with open("/proc/%d/status" % pid) as f:
                memory = re.search(r"VmHWM:\s*(\d+)", f.read())
            if not memory:
                return
            seen["cpu"] = (int(fields[11]) + int(fields[12])) / TICK
            seen["kB"] = int(memory[1])
            time.sleep(0.01)
    except OSError:
        pass


def run(argv, env):
    """Seconds, seconds of CPU with that of children, and what `follow` has seen."""
    began, seen = time.monotonic(), {"cpu": 0.0, "kB": 0}
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=dict(os.environ, **env))
    follower = threading.Thread(target=follow, args=(p.pid, seen), daemon=True)
    follower.start()
    _, status, used = os.wait4(p.pid, 0)
    wall = time.monotonic() - began
    p.returncode = os.waitstatus_to_exitcode(status)
    follower.join()
    if status:
        sys.exit("%s: status %d" % (" ".join(argv), p.returncode))
    return {"seconds": wall, "cpu": used.ru_utime + used.ru_stime, "own": seen["cpu"],
            "kB": seen["kB"]}


def middle(rows):
    """The medians, and the best time."""
    result = {key: statistics.median(r[key] for r in rows) for key in rows[0]}
    result["best"] = min(r["seconds"] for r in rows)
    return result


def size_of(argv, output):
    """Makes the trace; its bytes and calls. What is kept for the next time is made as well."""
    said = subprocess.run(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                          check=True).stderr
    return os.path.getsize(output), int(re.search(r"([\d,]+) calls", said)[1].replace(",", ""))


def branches(data):
    out = subprocess.run(["perf", "script", "-i", data, "--itrace=b", "-F", "ip"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return out.count(b"\n")


def measure(build, work, name, program, runs):
    data, output = os.path.join(work, "perf.data"), os.path.join(work, "trace.fxt.gz")
    plugin = os.path.join(build, "magic-trace-qemu.so")
    subprocess.run(["qemu-x86_64", "-seed", "1", "-plugin", "%s,out=%s" % (plugin, data)] + program,
                   stdout=subprocess.DEVNULL, check=True)
    todo = ways(build, data, output)
    trace, calls = size_of(todo["decode"][0], output)
    result = {"branches": branches(data), "calls": calls, "data": os.path.getsize(data),
              "trace": trace, "ways": {}}
    print("%s: %.2f million branches, perf.data %.1f MB; %d calls, trace %.1f MB: %.1f bytes a call"
          % (name, result["branches"] / 1e6, result["data"] / 1e6, calls, trace / 1e6,
             trace / calls), flush=True)
    got = {way: [] for way in todo}
    for _ in range(runs):
        for way, (argv, env) in todo.items():
            got[way].append(run(argv, env))
    result["ways"] = {way: middle(rows) for way, rows in got.items()}
    show(result)
    reading(build, work, todo[RECORDS][0])
    return result


def show(result):
    base = result["ways"][BASE]
    print("  %-33s %8s %8s %7s %7s %9s %6s" % ("", "median s", "best s", "of text", "CPU of",
                                              "own CPU /", "MB"))
    print("  %-33s %8s %8s %7s %7s %9s" % ("", "", "", "", "text's", "perf's"))
    for way, r in result["ways"].items():
        own = "%.2f" % (r["own"] / (r["cpu"] - r["own"])) if way.startswith("decode") else ""
        print("  %-33s %8.2f %8.2f %7.3f %7.3f %9s %6.0f"
              % (way, r["seconds"], r["best"], r["seconds"] / base["seconds"],
                 r["cpu"] / base["cpu"], own, r["kB"] / 1e3), flush=True)


def reading(build, work, script):
    """How fast the reader takes what perf writes, from memory."""
    stream = os.path.join(work, "stream")
    with open(stream, "wb") as f:
        subprocess.run(script, stdout=f, stderr=subprocess.DEVNULL, check=True)
    program = os.path.join(build, "tests", "bench", "text")
    if os.path.exists(program):
        print("  the reader alone: ", end="", flush=True)
        subprocess.run([program, stream, "300", "0"], check=True)
    os.unlink(stream)


def said_by(*argv):
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                       check=False, cwd=TOP)
    return p.stdout.partition("\n")[0].strip()


def machine(build, runs):
    with open("/proc/cpuinfo") as f:
        model = re.search(r"model name\s*: (.*)", f.read())
    return {"machine": model[1] if model else "unknown", "cpus": os.cpu_count(),
            "kernel": os.uname().release, "runs": runs,
            "commit": said_by("git", "describe", "--always", "--dirty"),
            "magic-trace": said_by(os.path.join(build, "magic-trace"), "version"),
            "perf": said_by("perf", "--version"), "qemu": said_by("qemu-x86_64", "--version"),
            "gcc": said_by("gcc", "--version")}


def main():
    build = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    share = int(sys.argv[3]) / 100 if len(sys.argv) > 3 else 1
    if not all(map(shutil.which, ("qemu-x86_64", "perf", "gcc", "python3", "xz"))):
        print("qemu-x86_64, perf, gcc, python3 or xz is not installed")
        return
    results = machine(build, runs)
    print(", ".join("%s: %s" % pair for pair in results.items()))
    with tempfile.TemporaryDirectory() as work:
        os.environ["XDG_CACHE_HOME"] = os.path.join(work, "cache")
        compile_target(work, "rounds.c", "-O1", "-ldl")
        for name, program in programs(work, share).items():
            if name in sys.argv[4:] or not sys.argv[4:]:
                results[name] = measure(build, work, name, program, runs)
    with open(os.path.join(build, "bench-pt.json"), "w") as f:
        json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
