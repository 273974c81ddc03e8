#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call that can fail is made to fail in turn, in each way that it can (inject.py).

A point is a function with its callers. Its first, second and last call fail. There is time
for all of that where recordings are decoded, in the long form; else for some, of each function
first one.

    points.py BUILD [SCENE [COUNT]]         one scene, all of its faults or that many

SIGTERM has it sum up what it knows by then.
"""
import concurrent.futures
import errno
import os
import random
import signal
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import inject                   # noqa: E402
import live                     # noqa: E402
import scenes                   # noqa: E402

# The scene, how many faults the short form has of it, and the long one (None: all).
SCENES = [(scenes.DecodeText, 45, None), (scenes.DecodeSampled, 14, None),
          (scenes.DecodeBranches, 0, None), (scenes.Run, 0, 800), (scenes.RunSteps, 0, 800),
          (scenes.RunQemu, 0, 800), (scenes.Attach, 0, 800), (scenes.AttachTrigger, 0, 800),
          (scenes.AttachSteps, 0, 800)]
WRONG_ONCE = ("recv", "readdir")
WORKERS = 2 if harness.LONG else 1


class Trial:
    """The faults of one scene, from a list that workers, each with a scene of its own, share."""

    def __init__(self, build, top, programs, kind, loud=False):
        self.loud = loud
        self.build = build
        self.top = top
        self.programs = programs
        self.kind = kind
        self.shim = os.path.join(build, "tests", "faults", "shim.so")
        self.lock = threading.Lock()
        self.todo = []
        self.bad = []
        self.fired = 0
        self.ends = {}          # exit status: how often

    def table(self, scene):
        return inject.Table(scene.place.path("table"), self.shim)

    def look(self):
        """All faults that a run without one has the points for."""
        scene = self.kind(self.build, self.top, self.programs)
        wrong, found = scene.unharmed(), []
        # what comes by chance comes in one of several runs
        for _ in range(1 if scene.exact else 3):
            table = self.table(scene)
            scene.run(table.env)
            found += table.points()
            wrong = wrong or scene.wrong()
        points = {}
        for point in found:
            points.setdefault(point.key, point)
        self.bad += wrong + scene.close()
        return [fault for point in points.values() for fault in point.faults()]

    def one(self, scene, table, fault):
        table.wish(fault)
        began = time.monotonic()
        scene.run(table.env)
        if self.loud and time.monotonic() - began > 5:
            print("%.0f s: %s" % (time.monotonic() - began, fault), flush=True)
        if self.loud and len(self.todo) % 20 == 0:
            print("%d left" % len(self.todo), flush=True)
        with self.lock:
            fired = table.fired()
            self.fired += fired > 0
            self.ends[scene.status] = self.ends.get(scene.status, 0) + (fired > 0)
        wrong = scene.wrong(why_of(fault), fault.point.name in inject.REMOVE)
        if wrong:
            where = fault.where(os.path.join(self.build, "magic-trace"))
            text = "%s (%s): %s" % (fault, where, "\n    ".join(wrong))
            with self.lock:
                self.bad.append(text)
            if self.loud:
                print(text, flush=True)

    def work(self):
        scene = self.kind(self.build, self.top, self.programs)
        wrong = scene.unharmed()
        table = self.table(scene)
        while not wrong:
            with self.lock:
                if not self.todo:
                    break
                fault = self.todo.pop()
            self.one(scene, table, fault)
        wrong += scene.close()
        with self.lock:
            self.bad += wrong

    def run(self, faults):
        self.todo = faults[::-1]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            for worker in [pool.submit(self.work) for _ in range(WORKERS)]:
                worker.result()


def why_of(fault):
    """The words that a message has to have when nothing else has failed."""
    # without its status, how a child ended is not known; that is all that can be said
    if fault.how <= 0 or fault.how == errno.ECHILD or fault.point.in_child:
        return ""
    return "" if fault.point.name in inject.MEMORY else fault.why()


def spread(faults):
    """In an order in which each function and way to fail comes once before one comes again; first
    what once went wrong."""
    random.Random(1).shuffle(faults)
    seen, order = {}, []
    for fault in faults:
        kind = fault.point.name, fault.how, fault.point.in_child
        seen[kind] = seen.get(kind, 0) + 1
        order.append((fault.point.name not in WRONG_ONCE, seen[kind], len(order), fault))
    return [fault for *_, fault in sorted(order)]


def try_faults(report, programs, kind, count, loud):
    """The first count faults of a scene."""
    trial = Trial(harness.build_dir(), programs.top, programs, kind, loud)
    faults = spread(trial.look())
    signal.signal(signal.SIGTERM, lambda *_: trial.todo.clear())
    trial.run(faults[:count])
    ends = ", ".join("%d with %s" % (n, status)
                     for status, n in sorted(trial.ends.items(), key=str))
    print("%s: of %d faults %d came about; ended: %s; not survived: %d" % (
        kind.name, len(faults), trial.fired, ends, len(trial.bad)), flush=True)
    report.check(kind.name, trial.bad)


def main():
    report = harness.Report("faults/points")
    only = sys.argv[2:3]
    why = live.why_not()
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory(prefix="mt-faults-") as top:
        programs = scenes.Programs(top)
        for kind, few, many in SCENES:
            count = many if harness.LONG else few
            if only:
                count = int(sys.argv[3]) if len(sys.argv) > 3 else None
            if count == 0 or (only and kind.name not in only):
                continue
            why = kind.cannot()
            if why:
                report.skip(kind.name, why)
            else:
                try_faults(report, programs, kind, count, bool(only))
    report.exit()


if __name__ == "__main__":
    main()
