#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures; asserts nothing. Each program beside this file alone, then `decode` as a whole, then
what a recording costs while nothing happens, and how fast programs run under -software.

usage: run.py BUILD [MEGABYTES]       size of the made-up text that is decoded (default 200)
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
from harness import compile_target       # noqa: E402
from lines import at, branch, start      # noqa: E402

FUNCTIONS = 300
SITES = range(8, 800, 61)                # offsets of a function's branches
BLOCK = 50000                            # lines that are made at once


def walk(size):
    """Text of about that many bytes: calls, returns and jumps, several at a time, one thread."""
    rng = random.Random(1)
    names = ["%s::function_%d(int, char const*)" % (rng.choice("abc") * 8, i)
             for i in range(FUNCTIONS)]
    stack, now, made = [0], 10**12, 0
    block = [start(now, names[0])]
    while made < size:
        now += rng.choice((0, 0, 0, 1, 40))
        here, off = stack[-1], rng.choice(SITES)
        kind = rng.random()
        if kind < .4 or len(stack) < 2:
            word, there, entry = "call", rng.randrange(FUNCTIONS), 0
            stack.append(there)
        elif kind < .4 + .006 * len(stack):
            word, entry = "return", rng.choice(SITES)
            stack.pop()
            there = stack[-1]
        else:
            word, there, entry = "jcc", here, rng.choice(SITES)
        block.append(branch(now, word, at(names[here], 0x400000 + here * 4096, off),
                            at(names[there], 0x400000 + there * 4096, entry)))
        if len(block) == BLOCK:
            text = "".join(block)
            made += len(text)
            block = []
            yield text


def make_text(path, size):
    """Writes it in a process of its own: a child's peak of memory begins with its parent's."""
    child = os.fork()
    if child == 0:
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(walk(size))
        os._exit(0)
    os.waitpid(child, 0)
    with open(path, "rb") as f:
        return sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))


def decode(build, text, lines, output):
    """One run of the whole program, and what it cost."""
    env = dict(os.environ, MAGIC_TRACE_PERF_PATH=os.path.join(HERE, "..", "tools", "replay-perf"))
    began = time.monotonic()
    child = subprocess.Popen([os.path.join(build, "magic-trace"), "decode", "-output", output, text],
                             env=env, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.monotonic() - began
    print("decode to %-9s %6.2f s, %5.2f million lines/s, %6.0f MB/s, CPU %5.2f s, "
          "memory %3d MB, file %6.1f MB%s"
          % (os.path.basename(output).partition(".")[2], seconds, lines / seconds / 1e6,
             os.path.getsize(text) / seconds / 1e6, used.ru_utime + used.ru_stime,
             used.ru_maxrss // 1024, os.path.getsize(output) / 1e6,
             ", status %d" % status if status else ""), flush=True)


def timed(argv, **popen):
    """How long it ran, seconds; and what it said on standard error."""
    began = time.monotonic()
    said = subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          **popen).stderr.decode("utf-8", "replace")
    return time.monotonic() - began, said


def software(build, work):
    """Programs under -software: how fast they are, and how much slower than by themselves."""
    subprocess.run(["make", "-s", "O=" + build, os.path.join(build, "demo/demo")], check=True,
                   cwd=os.path.join(HERE, "..", ".."))
    fib = compile_target(work, "fibs.c", "-O1")
    demo = os.path.join(build, "demo/demo")
    for engine, name, program in (("qemu", "fibs 500000", [fib, "500000"]),
                                  ("qemu", "demo", [demo]),
                                  ("step", "fibs 100", [fib, "100"]),
                                  ("step", "demo, small", [demo, "2", "1"])):
        native = min(timed(program)[0] for _ in range(3))
        rates = []
        for _ in range(3):
            # a small ring: little has to be decoded
            _, said = timed([os.path.join(build, "magic-trace"), "run", "-software",
                             "-software-engine", engine, "-snapshot-size", "64K", "-output",
                             os.path.join(work, "trace.fxt"), program[0], "--", *program[1:]])
            found = re.search(r"\[ (?:QEMU|Single steps): ([\d,]+) instructions, ([\d,]+) .* in "
                              r"([\d.]+) (ms|s):", said)
            if not found:
                print("%s, %s: %s" % (engine, name, said))
                break
            took = float(found[3]) * (1e-3 if found[4] == "ms" else 1)
            rates.append((took, *(int(found[i].replace(",", "")) for i in (1, 2))))
        if len(rates) < 3:
            continue
        took, instructions, branches = sorted(rates)[1]
        print("%-5s %-12s %11d branches, %8.3f s: %6.2f million instructions/s, %6.3f million "
              "branches/s, %6.1f times slower"
              % (engine, name, branches, took, instructions / took / 1e6, branches / took / 1e6,
                 took / native), flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    size = int(sys.argv[2] if len(sys.argv) > 2 else 200) * 10**6
    with tempfile.TemporaryDirectory() as work:
        text = os.path.join(work, "perf.data")
        lines = make_text(text, size)
        print("a text of %.0f MB, %d lines" % (os.path.getsize(text) / 1e6, lines), flush=True)
        for name, args in (("text", [text]), ("stacks", []), ("writer", []), ("hit", [])):
            program = os.path.join(build, "tests", "bench", name)
            if os.path.exists(program):
                print("--- %s" % name, flush=True)
                subprocess.run([program] + args, check=False)
        print("--- stages, on records", flush=True)
        subprocess.run([os.path.join(HERE, "stages.py"), build], check=False)
        print("--- decode", flush=True)
        for suffix in ("fxt", "fxt.gz", "fxt.zst"):
            decode(build, text, lines, os.path.join(work, "trace." + suffix))
        print("--- Intel PT", flush=True)
        subprocess.run([os.path.join(HERE, "pt.py"), build], check=False)
        print("--- recording", flush=True)
        subprocess.run([os.path.join(HERE, "latency.py"), build], check=False)
        print("--- software", flush=True)
        software(build, work)


if __name__ == "__main__":
    main()
