# SPDX-License-Identifier: MIT
"""What the tests of software PT share: programs, softstep, and what perf makes of its packets."""
import collections
import os
import re
import shutil
import subprocess
import tempfile
import threading

import harness

LINE = re.compile(r"^ *-?\d+/(-?\d+) +\d+\.\d+: +branches:uH: +(.*?) +([0-9a-f]+) => "
                  r"+([0-9a-f]+)\s*$")


class Programs(dict):
    """Paths of programs by their names. Those of tests/e2e/targets are made when they are first
    asked for: sources maps names to their sources and flags."""

    def __init__(self, work, sources):
        super().__init__()
        self.work, self.sources, self.lock = work, sources, threading.Lock()

    def __missing__(self, name):
        source, *flags = self.sources[name]
        with self.lock:
            if name not in self:
                self[name] = harness.compile_target(self.work, source, *flags, out=name)
        return self[name]


class Place:
    """The programs, and a directory for what is recorded."""

    def __init__(self, build, work):
        self.step = os.path.join(build, "tests", "tools", "softstep")
        self.work = work
        self.programs = Programs(work, {
            "soft": ("soft.c", "-O1", "-ldl"),
            "static": ("soft.c", "-O1", "-static", "-DSTATIC"),
            "throws": ("throws.cc", "-O1", "-static-libgcc", "-static-libstdc++"),
        })

    def argv(self, words):
        name, *rest = words.split()
        return [self.programs[name], *rest]

    def path(self, name):
        return os.path.join(self.work, name)

    def record(self, name, *args, whole=False):
        """Runs softstep; its end. whole: also what a program does before it is its own: the dynamic
        linker's work is most of it."""
        late = [] if whole or "-p" in args else ["-i"]
        return subprocess.run([self.step, "-o", self.path(name), "-b", self.path(name + ".log"),
                               *late, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=100, check=False)

    def logged(self, name):
        """The branches of each thread, as executed."""
        executed = collections.defaultdict(list)
        with open(self.path(name + ".log")) as f:
            for line in f:
                tid, flags, source, to, _ = line.split()
                executed[tid].append((flags, source, to))
        return executed

    def decoded(self, name):
        """The branches of each thread as perf has them; and its errors, and other lines."""
        p = subprocess.run(["perf", "script", "-i", self.path(name), "--itrace=be", "--ns", "-F",
                            "pid,tid,time,flags,ip,addr,event"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
        branches, errors, others = collections.defaultdict(list), [], []
        for line in p.stdout.splitlines():
            m = LINE.match(line)
            if m:
                branches[m[1]].append(("_".join(m[2].split()), m[3], m[4]))
            elif "instruction trace error" in line:
                errors.append(line)
            elif line.strip():
                others.append(line)
        if p.returncode:
            others.append("perf script: status %d: %s" % (p.returncode, p.stderr))
        return branches, errors, others


def differences(want, got):
    """What two lists of branches of each thread do not have in common."""
    faults = []
    for tid in sorted(set(want) | set(got)):
        a, b = want[tid], got[tid]
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        if a != b:
            faults.append("thread %s: %d executed, %d decoded; from %d on: %s / %s" %
                          (tid, len(a), len(b), at, a[at:at + 3], b[at:at + 3]))
    return faults


def compare(place, name, error=None):
    """All branches are there, and there is no error, or this one."""
    want, (got, errors, others) = place.logged(name), place.decoded(name)
    faults = differences(want, got) + others[:3]
    if not any(want.values()):
        faults.append("nothing was executed")
    if error is None:
        faults += errors[:3]
    elif len(errors) != 1 or error not in errors[0]:
        faults.append("errors: %s" % errors[:3])
    return faults


def counted(ended, place, name):
    """The summary counts as many branches as the log has."""
    m = re.search(r"([\d,]+) instructions, ([\d,]+) branches", ended.stderr)
    lines = sum(map(len, place.logged(name).values()))
    good = m and int(m[2].replace(",", "")) == lines
    return [] if good else ["summary: %s; %d" % (ended.stderr, lines)]


def same_again(place, record):
    """Counted time: record() makes the same file "again" each time, and what is in it is right."""
    files = set()
    for _ in range(20 if harness.LONG else 3):
        ended = record()
        if ended.returncode:
            return [ended.stderr]
        with open(place.path("again"), "rb") as f:
            files.add(f.read())
    return (["%d different files" % len(files)] if len(files) != 1 else
            compare(place, "again"))


def run_case(place, name, words, printed, *options, error=None, whole=False):
    ended = place.record(name, *options, "--", *place.argv(words), whole=whole)
    faults = []
    if ended.returncode or printed not in (None, ended.stdout):
        faults.append("status %d, printed %r, %s" % (ended.returncode, ended.stdout, ended.stderr))
    return faults + counted(ended, place, name) + compare(place, name, error)


def cannot_test(build):
    """Why nothing can be recorded so here; None."""
    if not all(map(shutil.which, ("gcc", "g++", "perf"))):
        return "gcc, g++ or perf is not installed"
    with tempfile.TemporaryDirectory() as work:
        p = subprocess.run([os.path.join(build, "tests", "tools", "softstep"), "-o",
                            os.path.join(work, "true"), "-i", "--", "true"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return p.stdout.decode().strip().replace("\n", " ") if p.returncode == 99 else None
