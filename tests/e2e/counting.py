# SPDX-License-Identifier: MIT
"""targets/odd_target.c as the tests see it: a program that counts, and checks that it did right."""
import collections
import os
import re
import signal
import subprocess
import time

import fxt
import harness
import live
from live import expect

COUNTED = re.compile(r"counted \d+\n")


WORK_NS = 20 * 10**6


def work(pid):
    """Waits until a process has used the CPU for some time from now."""
    clock = (~pid << 3) | 2         # of the process' CPU time, as clock_getcpuclockid(3) makes it
    end = time.clock_gettime_ns(clock) + WORK_NS
    live.until(lambda: time.clock_gettime_ns(clock) > end, "work of process %d" % pid)


class Counting:
    """It runs by itself; named is the id that it says it has (or has made)."""

    def __init__(self, place, *argv, **popen):
        env = {k: v for k, v in place.env.items() if k != harness.MARK}
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, env=env,
                                        stdout=subprocess.PIPE, start_new_session=True, **popen)
        place.targets.append(self)
        self.pid = self.process.pid
        line = self.process.stdout.readline().decode().split()
        expect(line[:1] == ["ready"], "the target said %r" % line)
        self.named = int(line[1])

    def child(self):
        """The pid of its only child."""
        path = "/proc/%d/task/%d/children" % (self.pid, self.pid)
        return int(live.until(lambda: live.read(path), "child").split()[0])

    def expect_unharmed(self, pid=None):
        """It still counts, is traced by nobody, and has counted right when it is told to end."""
        pid = pid or self.pid
        expect(live.is_alive(pid), "the target has ended")
        expect(not live.is_stopped(pid), "the target is stopped")
        expect(live.status_of(pid).get("TracerPid") == "0", "somebody traces the target")
        os.kill(pid, signal.SIGTERM)
        said = self.process.communicate(timeout=live.LIMIT)[0].decode()
        expect(COUNTED.fullmatch(said) and self.process.returncode == 0,
               "the target said %r, status %s" % (said, self.process.returncode))

    def kill(self):
        """With all of its session."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.kill()
        self.process.communicate()


def functions(path):
    """{(pid, tid): {name: ns}} of a trace: what its threads spent in which functions."""
    shares = collections.defaultdict(collections.Counter)
    for span in fxt.spans(fxt.read(path)):
        m = re.fullmatch(r"(\d+)/(\d+)", span.track)
        if m:
            shares[int(m.group(1)), int(m.group(2))][span.name] += span.length
    return shares


def expect_functions(path, pid, *names):
    """Those are in the trace of a process' first thread, each below the one before.

    (Nearly: at its first instruction a function seems to be called by its caller's caller.)
    """
    shares = functions(path)
    thread = shares.get((pid, pid))
    expect(thread, "process %d is not in the trace, but" % pid, sorted(shares))
    for name in names:
        expect(thread[name], "%s is not in the trace, but" % name, dict(thread))
    for outer, inner in zip(names, names[1:]):
        expect(2 * thread[outer] >= thread[inner], outer, "and", inner, "have", dict(thread))
