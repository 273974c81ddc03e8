#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""QEMU's plugin: the branches that perf decodes are those that were executed, thread by thread.

The plugin's log says which blocks QEMU has executed; what is judged against it is what `perf
script` makes of the packets. That the log itself is right shows against the stepper, which sees
each instruction of the same program: tests "as stepped".
"""
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
from softqemu import (QEMU, Controlled, compare_image, files_of, numbered, run_all,     # noqa: E402
                      symbols)
from softtrace import compare, same_again   # noqa: E402

CASES = [                       # name, program, what it prints, how often it executes another
    ("hello", "static fib", "fib 55\n", 0),
    ("fib", "soft fib", "fib 55\n", 0),
    ("qsort", "soft qsort", "qsort\n", 0),
    ("dlopen", "soft dlopen", "dlopen 0.914653\n" * 2, 0),
    ("exception", "throws", "throws 2 5\n", 0),
    ("signals", "soft signals", "signals 7 3 1 x\n", 0),
    ("threads", "soft threads", None, 0),
    ("exec", "soft exec", "fib 55\n", 1),
    ("script", "script", "fib 55\n", 1),
    ("fork", "soft fork", "fork 3 0\n", 0),
    ("death", "dies", "", 0),
]


def run_case(place, name, words, printed, execs):
    ended = place.qemu(name, words)
    status = -signal.SIGABRT if words == "dies" else 0
    # QEMU itself says something when a program dies of a signal, and we say nothing
    said = ended.stderr
    if status:
        said = re.sub(r"^qemu: uncaught target signal.*\n", "", said)
    faults = []
    if ended.returncode != status or printed not in (None, ended.stdout) or said:
        faults.append("status %d, printed %r, %r" % (ended.returncode, ended.stdout, ended.stderr))
    for n in range(execs + 1):
        faults += compare_image(place, name, n)
    if os.path.exists(place.path(numbered(name, execs + 1))):
        faults.append("there is a file too many")
    threads = 4 if words == "soft threads" else 1
    if len(place.logged(name)) != threads:
        faults.append("%d threads" % len(place.logged(name)))
    return faults


def within(logged, functions):
    """The branches that begin or end in some functions, of all threads; what is elsewhere is "-":
    there, libraries do as the CPU is."""
    def place(address):
        return address if any(start <= int(address, 16) < start + size
                              for start, size in functions) else "-"
    moved = [(flags, place(a), place(b)) for thread in logged.values() for flags, a, b in thread]
    return [b for b in moved if b[1:] != ("-", "-")]


def undisturbed(branches):
    """Without interruptions behind which the program goes on where it was: they come as they come."""
    kept = []
    for branch in branches:
        if kept and kept[-1][0] == "tr_end_async" and branch == ("tr_strt", "-", kept[-1][1]):
            kept.pop()
        else:
            kept.append(branch)
    return kept


def as_stepped(place, name, words, *functions):
    """Both engines see the same branches of functions of the program; it is not moved."""
    faults = []
    ended = [place.qemu(name, words), place.record(name + "-s", "--", *place.argv(words))]
    faults += [e.stderr for e in ended if e.returncode]
    ranges = [symbols(place.programs["static"])[f] for f in functions]
    by_qemu, by_step = (undisturbed(within(place.logged(n), ranges)) for n in (name, name + "-s"))
    if not by_step or by_qemu != by_step:
        at = next((i for i, (a, b) in enumerate(zip(by_qemu, by_step)) if a != b), -1)
        faults.append("%d by QEMU, %d stepped; from %d on: %s / %s" %
                      (len(by_qemu), len(by_step), at, by_qemu[at:at + 3], by_step[at:at + 3]))
    return faults + compare(place, name)


def bystanders(place):
    """Without "multi-thread" it is the first thread only; the others do their work all the same."""
    faults = []
    for words, printed in (("soft threads", None), ("soft checks 0.03", "ready\nchecked\n")):
        ended = place.qemu("first", words, multi_thread="off")
        if ended.returncode or ended.stderr or printed not in (None, ended.stdout):
            faults.append("%s: %r" % (words, ended))
        if len(place.logged("first")) != 1:
            faults.append("%s: %d threads" % (words, len(place.logged("first"))))
        faults += compare(place, "first")
    return faults


def odd_names(place):
    """Commas, blanks and quotes in paths."""
    name = "a, b='c',d%"
    ended = place.qemu(name, "soft fib")
    faults = [ended.stderr] if ended.returncode or ended.stderr else []
    return faults + compare(place, name)


def descriptors(place):
    """The program gets the descriptors that it gets without us, and may close all it likes."""
    script = "exec 3</dev/null; ls -l /proc/self/fd | wc -l; for i in 3 4 5 6 7 8 9; do " \
             "eval \"exec $i<&-\"; done; echo end"
    place.programs["bash"] = shutil.which("bash")
    plain = subprocess.run([QEMU, place.programs["bash"], "-c", script], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
    ended = subprocess.run(place.command("fds", [place.programs["bash"], "-c", script]),
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if (plain.returncode, plain.stdout, plain.stderr) != (ended.returncode, ended.stdout,
                                                          ended.stderr):
        return ["%r, plain %r" % (ended, plain)]
    return compare(place, "fds")


def by_descriptor(place):
    """Executes a file by its descriptor: what has a name is followed, and runs in any case."""
    faults = []
    soft = place.programs["soft"]
    with Controlled(place, "fd-1", "by-fd " + soft) as c:
        lines = c.controller.rest()
        c.controller.accept()
        lines += c.controller.rest()
        faults += c.end("fib 55\n")
    if [line[0] for line in lines] != ["bye", "exec", "hello", "bye"]:
        faults.append("said %s" % lines)
    with Controlled(place, "fd-2", "by-fd %s copy" % soft) as c:
        lines = c.controller.rest()
        faults += c.end("fib 55\n")
    if [line[0] for line in lines] != ["untraced", "bye"]:
        faults.append("said then %s" % lines)
    return faults + compare_image(place, "fd-1", 1) + compare(place, "fd-2")


def as_plain(place, name, argv):
    """What a user sees is what QEMU shows without us; all programs of the process are recorded."""
    plain = subprocess.run([QEMU, *argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, check=False)
    ended = subprocess.run(place.command(name, argv), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    faults = []
    if (plain.returncode, plain.stdout, plain.stderr) != (ended.returncode, ended.stdout,
                                                          ended.stderr):
        faults.append("%r, plain %r" % (ended, plain))
    for n in range(len(files_of(place, name))):
        faults += compare_image(place, name, n)
    return faults


REAL = [                        # name, what is run
    ("pipe", ["bash", "-c", "ls / | sort -r"]),
    ("status", ["bash", "-c", "echo to 2 >&2; exit 3"]),
    ("killed", ["bash", "-c", "kill -TERM $$"]),
    ("no such program", ["env", "/no/such/program"]),
    ("not a program", ["env", "/etc/passwd"]),
    ("tried twice", ["bash", "-c", "shopt -s execfail; exec /no/such; echo on"]),
    ("perl", ["perl", "-e", "system('true'); print 6 * 7, $/; exit 5"]),
]


def reproducible(place):
    """With one thread."""
    return same_again(place, lambda: place.qemu("again", "soft dlopen", time="instructions"))


def real_time(place):
    ended = place.qemu("real", "soft threads", time="real")
    faults = [ended.stderr] if ended.returncode or ended.stderr else []
    return faults + compare(place, "real")


def tests():
    for name, words, printed, execs in CASES:
        yield name, run_case, name, words, printed, execs
    yield ("fib as stepped", as_stepped, "fib-as", "static fib", "main", "do_fib", "fib")
    yield ("qsort as stepped", as_stepped, "qsort-as", "static qsort", "do_qsort", "compare")
    yield ("signals as stepped", as_stepped, "signals-as", "static signals", "do_signals",
           "on_signal", "jump")
    for name, argv in REAL:
        program = shutil.which(argv[0])
        if program:
            yield name, as_plain, "real-" + name.replace(" ", "-"), [program, *argv[1:]]
    for test in (bystanders, odd_names, descriptors, by_descriptor, reproducible, real_time):
        yield test.__name__.replace("_", " "), test


if __name__ == "__main__":
    run_all("e2e/soft-qemu", tests())
