#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The control of QEMU's plugin: snapshots, triggers, the end, and what is in which file then.

The socket is served by the tests themselves, byte for byte as src/soft/qemuctl.h has it.
"""
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
from softqemu import (Controlled, compare_image, decoded_pieces, files_of, named,      # noqa: E402
                      numbered, run_all, symbols)
from softtrace import compare   # noqa: E402



def counts(place, name, line):
    """What the plugin says when it ends, against its log."""
    logged = place.logged(name)
    n = sum(map(len, logged.values()))
    if line[:1] != ["bye"] or len(line) != 7 or int(line[2]) != n or int(line[4]) != len(logged):
        return ["%s, but %d branches, %d threads" % (line, n, len(logged))]
    return []


def controlled(place):
    """hello, bye, and nothing else; for each program."""
    faults = []
    with Controlled(place, "exec-c", "soft exec") as c:
        pid = str(c.process.pid)
        first = [c.hello, *c.controller.rest()]
        c.controller.accept()
        second = c.controller.rest()
        faults += c.end("fib 55\n")
    if [first[0], first[2:]] != [["hello", pid, "0"], [["exec", "1"]]]:
        faults.append("said first %s" % first)
    faults += counts(place, "exec-c", first[1]) + compare_image(place, "exec-c", 0)
    faults += compare_image(place, "exec-c", 1)
    if second[0] != ["hello", pid, "1"] or len(second) != 2:
        faults.append("said then %s" % second)
    return faults + counts(place, numbered("exec-c", 1), second[1])


def snapshots(place):
    """Each snapshot is a part of what was executed, and what comes behind them is not written."""
    faults = []
    with Controlled(place, "snap", "soft checks 0.4", ring=65536) as c:
        said = c.process.stdout.readline()
        answers = [c.controller.ask("snapshot") for _ in range(3)]
        rest = c.controller.rest()
        faults += c.end("checked\n")
    if said != "ready\n" or answers != [[["done"]]] * 3:
        faults.append("%r, %s" % (said, answers))
    if len(rest) != 1 or rest[0][0] != "bye":
        faults.append("at the end: %s" % rest)
    size = os.path.getsize(place.path("snap"))
    if size > 9 * 65536:
        faults.append("%d bytes of 3 rings of 2 threads" % size)
    want, got = place.logged("snap"), place.decoded("snap")[0]
    if any(want[tid][-3:] == got[tid][-3:] for tid in got):
        faults.append("it reaches to the end")
    return faults + decoded_pieces(place, "snap")


def split(place):
    """With "multi", each is a file of its own; one may be empty when the machine is busy."""
    answers = []
    with Controlled(place, "split", "soft checks 0.4", ring=65536, multi="on", comm="me") as c:
        c.process.stdout.readline()
        for _ in range(4):
            answers.append(c.controller.ask("snapshot"))
            time.sleep(0.02)
        files = files_of(place, "split")
        rest = c.controller.rest()
        faults = c.end("checked\n")
    if answers != [[["done"]]] * 4 or [line[0] for line in rest] != ["bye"]:
        faults.append("%s, %s" % (answers, rest))
    if files != [numbered("split", 0, n) for n in range(5)]:
        faults.append("files: %s" % files)
    if files_of(place, "split") != files[:4]:
        faults.append("at the end: %s" % files_of(place, "split"))
    executed, filled = place.logged("split"), 0
    for name in files[:4]:
        if place.decoded(name) == ({}, [], []):
            continue
        filled += 1
        faults += decoded_pieces(place, name, executed)
        faults += named(place, name, "me", "mix" if filled > 1 else "main")
    return faults + ([] if filled > 1 else ["%d files have anything" % filled])


def cannot_split(place):
    """The next file cannot be made: this is said, and the recording is over, not the program."""
    os.mkdir(place.path(numbered("stuck", 0, 1)))
    with Controlled(place, "stuck", "soft checks 0.4", ring=65536, multi="on") as c:
        c.process.stdout.readline()
        answer = c.controller.ask("snapshot")
        rest = c.controller.rest()
        faults = c.end("checked\n")
    if [line[0] for line in answer] != ["failed", "bye", "done"] or rest:
        faults.append("said %s, %s" % (answer, rest))
    return faults + decoded_pieces(place, "stuck")


def never_hit(place):
    """A trigger that is not hit: what the ring holds at the end is written."""
    start = symbols(place.programs["static"])["do_qsort"][0]
    with Controlled(place, "never", "static fib", ring=65536, trigger="%x" % start) as c:
        lines = c.controller.rest()
        faults = c.end("fib 55\n")
    if [line[0] for line in lines] != ["bye"]:
        faults.append("said %s" % lines)
    want, got = place.logged("never"), place.decoded("never")[0]
    if [its[-9:] for its in want.values()] != [its[-9:] for its in got.values()]:
        faults.append("the end is missing")
    return faults + decoded_pieces(place, "never")


def hit_and_exec(place):
    """A snapshot of the first program: of the next one, which has none, nothing is written."""
    start = symbols(place.programs["soft"])["do_exec"][0]
    with Controlled(place, "once", "soft exec", ring=65536, multi="on", trigger="%x" % start,
                    trigger_file=place.programs["soft"]) as c:
        first = c.controller.rest()
        c.controller.accept()
        second = c.controller.rest()
        faults = c.end("fib 55\n")
    said = [[line[0] for line in lines] for lines in (first, second)]
    if said != [["hit", "bye", "exec"], ["hello", "bye"]]:
        faults.append("said %s" % said)
    if files_of(place, "once") != ["once"]:
        faults.append("files: %s" % files_of(place, "once"))
    return faults + decoded_pieces(place, "once")


def exec_and_hits(place):
    """No snapshot of the first program, whose ring is written; then those of the next one."""
    start = symbols(place.programs["soft"])["do_fib"][0]
    with Controlled(place, "then", "soft exec", ring=65536, multi="on", trigger="%x" % start,
                    trigger_file=place.programs["soft"]) as c:
        c.controller.rest()
        c.controller.accept()
        lines = c.controller.rest()
        faults = c.end("fib 55\n")
    if [line[0] for line in lines] != ["hello", "hit", "bye"]:
        faults.append("said %s" % lines)
    files = ["then", numbered("then", 1)]
    if files_of(place, "then") != files:
        faults.append("files: %s" % files_of(place, "then"))
    os.replace(place.path(numbered("then.log", 1)), place.path(files[1] + ".log"))
    return faults + decoded_pieces(place, files[0]) + decoded_pieces(place, files[1])


def stop(place):
    """The program goes on, and what was recorded up to there is complete."""
    faults = []
    with Controlled(place, "stop", "soft checks 1") as c:
        c.process.stdout.readline()
        answer = c.controller.ask("stop")
        size = os.path.getsize(place.path("stop"))
        faults += c.end("checked\n")
    if [line[0] for line in answer] != ["bye", "done"]:
        faults.append("said %s" % answer)
    if os.path.getsize(place.path("stop")) != size:
        faults.append("it was written to afterwards")
    return faults + compare(place, "stop")


def is_complete(path):
    """perf.data's header has the size of its records: struct perf_file_header, written last."""
    with open(path, "rb") as f:
        return f.read(56)[48:] != bytes(8)


def gone(place):
    """Who controls it has gone: the recording ends, and the program goes on."""
    with Controlled(place, "gone", "soft checks 1.5") as c:
        c.process.stdout.readline()
        for s in (c.controller.lines, c.controller.connection):
            s.close()
        while not is_complete(place.path("gone")) and c.process.poll() is None:
            time.sleep(0.01)
        faults = ["not before the program's end"] if c.process.poll() is not None else []
        faults += c.end("checked\n")
    return faults + compare(place, "gone")


def blocked(place):
    """A snapshot is taken while the program waits in the kernel, and it waits on."""
    place.programs["cat"] = shutil.which("cat")
    with Controlled(place, "blocked", "cat", ring=65536, stdin=subprocess.PIPE) as c:
        c.process.stdin.write("line\n")
        c.process.stdin.flush()
        said = c.process.stdout.readline()
        answers = [c.controller.ask("snapshot") for _ in range(2)]
        stopped = c.controller.ask("stop")
        faults = c.end("")
    if said != "line\n" or answers != [[["done"]]] * 2:
        faults.append("%r, %s" % (said, answers))
    if [line[0] for line in stopped] != ["bye", "done"]:
        faults.append("to stop: %s" % stopped)
    return faults + decoded_pieces(place, "blocked")


def ends_at(place, name, address):
    """The last that is executed is the call to this address."""
    got = [b for its in place.decoded(name)[0].values() for b in its]
    if [b[0] for b in got[-2:]] != ["call", "tr_end_async"] or got[-2][2] != address or \
            got[-1][1] != address:
        return ["%s ends with %s" % (name, got[-2:])]
    return []


def trigger(place, name, words, program, **options):
    """Each call of fib, or the first; 177 calls make fib(10)."""
    start = symbols(place.programs[program])["fib"][0]
    multi = options.get("multi") == "on"
    with Controlled(place, name, words, trigger="%x" % start, **options) as c:
        lines = c.controller.rest()
        faults = c.end("fib 55\n")
    hits = [line for line in lines if line[0] == "hit"]
    if len(hits) != (177 if multi else 1):
        faults.append("%d hits" % len(hits))
    if any(line[2] != str(c.process.pid) or not line[3].endswith("%x" % (start & 0xfff)) or
           line[4:] != ["0", "0"] for line in hits):
        faults.append("hits: %s" % hits[:3])
    times = [int(line[1]) for line in hits]
    if times != sorted(times):
        faults.append("times of hits run backwards")
    if [line[0] for line in lines if line[0] != "hit"] != ["bye"] or lines[-1][0] != "bye":
        faults.append("said %s" % lines[:3])
    if multi and "ring" not in options:
        return faults + compare(place, name)
    if "ring" not in options:
        faults += compare(place, name)
    files = [numbered(name, 0, n) for n in range(len(hits))]
    if files_of(place, name) != files:
        faults.append("%d files of %d hits" % (len(files_of(place, name)), len(files)))
    executed = place.logged(name)
    for n in {0, 1, len(files) // 2, len(files) - 1} & set(range(len(files))):
        faults += ends_at(place, files[n], hits[n][3]) + decoded_pieces(place, files[n], executed)
    return faults


def untraced(place):
    """A program that QEMU cannot run is run all the same, and this is said."""
    other = place.path("other")
    shutil.copy("/bin/true", other)
    os.chown(other, 1, 1)
    os.chmod(other, 0o4755)
    place.programs["env"] = shutil.which("env")
    with Controlled(place, "other-d", "env " + other) as c:
        lines = c.controller.rest()
        faults = c.end("")
    if [line[0] for line in lines] != ["untraced", "bye"] or other not in lines[0]:
        faults.append("said %s" % lines)
    return faults + compare(place, "other-d")


def closes(place, name, words, limit, said):
    """The program closes all files: ours stay open where it does not reach, else the end is clean,
    and it sees nothing of them."""
    with Controlled(place, name, words, before=["prlimit", "--nofile=" + limit]) as c:
        lines = c.controller.rest()
        faults = c.end("end\n")
    if [line[0] for line in lines] != said:
        faults.append("said %s" % lines)
    return faults + compare(place, name)


def failing(place):
    """A file that cannot be made: said where it is to be said, and nowhere else."""
    with Controlled(place, "bad", "soft fib", out="/proc/none/x") as c:
        lines = c.controller.rest()
        c.process.communicate()
        status = c.process.returncode
    if len(lines) != 1 or lines[0][0] != "failed" or "/proc/none/x:" not in lines[0] or not status:
        return ["status %s, said %s" % (status, lines)]
    return []


def tests():
    for test in (controlled, snapshots, split, cannot_split, never_hit, hit_and_exec,
                 exec_and_hits, stop, gone, blocked, failing):
        yield test.__name__.replace("_", " "), test
    yield "trigger once", trigger, "trigger-1", "static fib", "static"
    yield "trigger", trigger, "trigger", "static fib", "static", {"ring": 65536}
    yield "trigger all", trigger, "trigger-all", "static fib", "static", {"multi": "on"}
    yield "trigger in ring", trigger, "trigger-r", "static fib", "static", {"multi": "on",
                                                                           "ring": 65536}
    yield "trigger in file", trigger, "trigger-f", "soft fib", "soft", {"in": "soft"}
    yield "closes up to the limit", closes, "closes-l", "closes", "256:", ["bye"]
    yield "closes on exec", closes, "closes-e", "closes mark", "256:", ["bye"]
    yield "closes all", closes, "closes-a", "closes range", "256:", ["untraced", "bye"]
    # no room above the limit
    yield "closes ours", closes, "closes-o", "closes", "256:256", ["untraced", "bye"]
    yield "takes ours", closes, "closes-t", "closes dup", "256:256", ["untraced", "bye"]
    if os.geteuid() == 0:
        yield "untraced", untraced


if __name__ == "__main__":
    run_all("e2e/soft-control", tests(),
            () if os.geteuid() == 0 else [("untraced", "the test is not run by root")])
