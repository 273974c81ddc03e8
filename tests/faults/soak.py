#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same again and again: recordings in a row, one process that is attached to, snapshots of one
recording. Nothing may grow: files, processes, open files, memory.

    soak.py BUILD [RECORDINGS ATTACHES SNAPSHOTS]       200 1000 200 in the long form
"""
import os
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
import scenes                   # noqa: E402
import softtrace                # noqa: E402
from counting import Counting, work     # noqa: E402
from live import expect         # noqa: E402
from stepped import Stepped     # noqa: E402

RECORDINGS, ATTACHES, SNAPSHOTS = map(int, sys.argv[2:5]) if len(sys.argv) > 4 else \
    (200, 1000, 200) if harness.LONG else (2, 2, 2)
LATEST = 1                      # a number of ticks.c
DECODED = 50                    # every so often an attach is decoded too
SLACK_KB = 2048                 # what an allocator may keep
TICKS = None


class AttachTicks(scenes.Attach):
    """To a program that measures its own progress."""
    name = "attach again and again"

    def begin_target(self):
        self.target = Stepped(self.place, TICKS)

    def progress(self):
        self.target.goes_on()

    def wrong(self, why="", removes=False):
        """It does little: in so short a time there may be no sample of it."""
        idle = self.status == 1 and "no sample was taken" in self.said
        return (self.wrong_rest(False) + self.wrong_target()) if idle else super().wrong()


class AttachTicksSteps(AttachTicks):
    name = "attach by steps again and again"
    options = scenes.AttachSteps.options


def memory(pid):
    """Of the process by itself, in kB."""
    return int(live.status_of(pid)["RssAnon"].split()[0])


def files(pid):
    return sorted(os.listdir("/proc/%d/fd" % pid))


def recordings(build, top, programs, say):
    kinds = [kind(build, top, programs) for kind in (scenes.Run, scenes.RunSteps)]
    bad = []
    for i in range(RECORDINGS):
        scene = kinds[i % len(kinds)]
        scene.run()
        bad += scene.wrong() + ([] if scene.status == 0 else ["status %s" % scene.status])
    say("%d recordings by perf and by steps" % RECORDINGS)
    return bad + [wrong for scene in kinds for wrong in scene.close()]


def undecoded(scene):
    """Attaches and lets go; what was recorded is thrown away."""
    scene.run({"MAGIC_TRACE_PERF_PATH": scene.place.perf(script="exit 0")})
    left = scene.wrong_rest(False)
    # in so short a time it may not have had its turn
    if scene.status != 1 or not ("[ Finished recording. ]" in scene.said or
                                 "executed nothing in that time" in scene.said):
        left.append("status %s, said: %s" % (scene.status, scene.said))
    return left


def attaches(build, top, programs, say):
    """All to one process, by turns."""
    scene, other = AttachTicks(build, top, programs), AttachTicksSteps(build, top, programs)
    other.target.expect_unharmed()
    other.target = scene.target
    bad = []
    pid = scene.target.pid
    before, opened, cpus = memory(pid), files(pid), os.sched_getaffinity(pid)
    for i in range(ATTACHES):
        kind = (scene, other)[i % 2]
        if i % DECODED in (DECODED - 2, DECODED - 1):
            kind.run()
            bad += kind.wrong()
        else:
            bad += undecoded(kind)
        if bad:
            break
    if not bad:
        after = memory(pid)
        bad += ["the target has other files"] if files(pid) != opened else []
        bad += ["the target has other CPUs"] if os.sched_getaffinity(pid) != cpus else []
        bad += ["it grew from %d to %d kB" % (before, after)] if after > before + SLACK_KB else []
        say("attached %d times by perf and by steps: the target has %d files and %d kB, before %d "
            "kB; of %d ticks the latest came %.1f ms late" % (
                ATTACHES, len(opened), after, before, scene.target.number(0),
                scene.target.number(LATEST) / 1e6))
    other.target = None
    return bad + other.close() + scene.close()


def snapshots(build, top, programs, say):
    """One recording, many snapshots: now it is magic-trace that must not grow."""
    place = live.Place(build, top, "snapshots")
    try:
        target = Counting(place, programs["count"])
        run = live.Live(place, "attach", "-multi-snapshot", "-pid", str(target.pid),
                        perf=place.perf(script="exit 0"))
        run.ready()
        measured = []
        for i in range(SNAPSHOTS):
            work(target.pid)
            run.send(signal.SIGUSR2)
            run.err.wait("[ Snapshot taken. ]", i + 1)
            if i in (SNAPSHOTS // 4, SNAPSHOTS - 1):
                measured.append((len(files(run.pid)), memory(run.pid)))
        run.send(signal.SIGINT)
        run.wait()
        target.expect_unharmed()
        (opened, kb), (opened_after, kb_after) = measured
        expect(opened == opened_after, "it had %d files open, then %d" % (opened, opened_after))
        expect(kb_after <= kb + SLACK_KB, "it grew from %d to %d kB" % (kb, kb_after))
        say("%d snapshots of one recording: %d files and %d kB, then %d and %d kB" % (
            SNAPSHOTS, opened, kb, opened_after, kb_after))
        left = place.left_behind()
        expect(not left, *left)
        return []
    except live.Fault as e:
        return [str(e)]
    finally:
        place.close()


def main():
    global TICKS
    report = harness.Report("faults/soak")
    why = live.why_not() or softtrace.cannot_test(harness.build_dir())
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory(prefix="mt-soak-") as top:
        TICKS = harness.compile_target(top, "ticks.c", "-static")
        programs = scenes.Programs(top)
        for test in recordings, attaches, snapshots:
            said = []
            bad = harness.faults_of(test, harness.build_dir(), top, programs, said.append)
            print("\n".join(said))
            report.check(test.__name__, bad)
    report.exit()


if __name__ == "__main__":
    main()
