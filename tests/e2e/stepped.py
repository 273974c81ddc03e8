# SPDX-License-Identifier: MIT
"""targets/steps.c as the tests see it, and magic-trace attach -software.

The target checks all that it does, and counts it in a file that is read here: how far it has come
is known without asking it.
"""
import os
import struct
import signal
import subprocess

import fxt
import live
from confined import need_root
from counting import Counting, functions
from live import Live, Skip, expect, until

SOFTWARE = ("-software",)
INT, TERM, USR1, USR2 = signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2
STEPPER = "mt-stepping"         # what the process that steps calls itself
TAKEN = "[ Snapshot taken. ]"

# enum number of steps.c
(ROUNDS, SECOND, EINTRS, HANDLED, MARKED, AT_MARKED, SECOND_TID, EXECUTED, CRASHING) = range(9)


class Stepped(Counting):
    """steps FILE WHAT, by itself or by a command that executes it."""

    def __init__(self, place, program, what="count", *args, before=()):
        self.file = place.path("numbers%d" % len(place.targets))
        super().__init__(place, *before, program, self.file, what, *args)

    def number(self, which):
        with open(self.file, "rb") as f:
            return struct.unpack_from("=Q", f.read(), 8 * which)[0]

    def goes_on(self, which=ROUNDS, n=3):
        """Waits until a number has grown."""
        before = self.number(which)
        until(lambda: self.number(which) >= before + n,
              lambda: "progress of number %d (it is %d)" % (which, self.number(which)))

    def expect_unharmed(self, pid=None):
        self.goes_on()
        for tid in os.listdir("/proc/%d/task" % (pid or self.pid)):
            text = live.read("/proc/%d/task/%s/status" % (pid or self.pid, tid))
            expect("TracerPid:\t0\n" in text or not text, "somebody traces its thread", tid)
        super().expect_unharmed(pid)


def attach(place, target, *args, pid=None, **more):
    return Live(place, "attach", "-pid", str(pid or target.pid), *args, backend=SOFTWARE, **more)


def recording(place, target, *args, **more):
    """Attached, and the target has come on since."""
    run = attach(place, target, *args, **more)
    run.ready()
    target.goes_on()
    return run


def stopped(run, *words, status=0, sig=INT):
    """It is told to end; what it said."""
    run.send(sig)
    said = run.end(status)
    said_all(said, *words)
    return said


def said_all(said, *words):
    for word in words:
        expect(word in said, "%r is not said:" % word, said)


def refused(place, pid, *words, args=(), **more):
    """Ends with 1 and these words, and no trace."""
    run = Live(place, "attach", "-pid", str(pid), *args, backend=SOFTWARE, **more)
    said = run.end(1, trace=False)
    said_all(said, *words)
    return said


def threads_of(path):
    return sorted(functions(path))


def hits_of(path):
    return [e for e in fxt.read(path) if e.track == "hits"]


def need_namespace(kind):
    need_root()
    p = subprocess.run(["unshare", kind, "true"], stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise Skip("no namespaces: " + p.stderr.decode().strip())


