#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""magic-trace is killed (SIGKILL) at random moments of whatever it does.

The trace at the given name is then the older one or the whole new one, no process and no file is
left, and a target that was attached to goes on: by itself, traced by nobody, with no trap flag and
no breakpoint that would end it. 500 times in the long form; those in which it had ended
before are not counted.

    kills.py BUILD [TIMES [SEED]]
"""
import os
import random
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
import scenes                   # noqa: E402
import softtrace                # noqa: E402

TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 500 if harness.LONG else 3
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
KINDS = [scenes.AttachSteps, scenes.Attach, scenes.Run, scenes.RunSteps, scenes.DecodeSampled,
         scenes.AttachTrigger, scenes.RunQemu, scenes.DecodeBranches]


class Killed:
    """A scene, and how long it takes when nobody kills it."""

    def __init__(self, build, top, programs, kind):
        self.scene = kind(build, top, programs)
        began = time.monotonic()
        self.wrong = self.scene.unharmed()
        self.seconds = time.monotonic() - began
        self.killed = self.whole = 0

    def once(self, generator):
        """Kills it at some moment of that time; what is wrong then."""
        scene = self.scene
        process = scene.start()
        try:
            process.wait(generator.uniform(0, self.seconds))
        except Exception:       # pylint: disable=broad-except
            process.kill()
        scene.status = process.wait(scenes.TIMEOUT)
        scene.take_said()
        if scene.status != -signal.SIGKILL:
            return scene.wrong()
        self.killed += 1
        bad = self.wrong_files() + self.wrong_processes() + scene.wrong_target()
        return bad and [*bad, "it had said: " + scene.said]

    def wrong_files(self):
        """The older trace, or the new one and the older one beside it; at no moment none."""
        scene = self.scene
        files = {name: open(scene.file(name), "rb").read() for name in os.listdir(scene.out)}
        trace, old = files.pop(scenes.TRACE, None), files.pop(scenes.TRACE + ".old", scenes.OLDER)
        bad = ["left beside the trace: " + name for name in files]
        if old != scenes.OLDER:
            bad.append("the older trace has changed")
        if trace is None:
            bad.append("there is neither the older trace nor a new one")
        elif trace != scenes.OLDER:
            self.whole += 1
            bad += harness.check_trace(scene.file(scenes.TRACE))
        return bad

    def wrong_processes(self):
        """What is left when what has to end with it has had its time. A program that was run goes
        on: it is its own master."""
        scene = self.scene
        end = time.monotonic() + live.LIMIT
        while scene.place.processes() or os.listdir(scene.place.tmp):
            if time.monotonic() > end:
                return scene.wrong_rest(False)
            time.sleep(0.005)
        return []


def main():
    report = harness.Report("faults/kills")
    why = live.why_not() or softtrace.cannot_test(harness.build_dir())
    if why:
        report.skip("all", why)
        report.exit()
    generator = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="mt-kills-") as top:
        programs = scenes.Programs(top)
        kinds = [Killed(harness.build_dir(), top, programs, kind)
                 for kind in (KINDS if harness.LONG or len(sys.argv) > 2 else KINDS[:1])
                 if not kind.cannot()]
        bad = [fault for kind in kinds for fault in kind.wrong]
        while not bad and sum(kind.killed for kind in kinds) < TIMES:
            kind = min(kinds, key=lambda kind: kind.killed)
            wrong = kind.once(generator)
            if wrong:
                bad.append("%s, the %d. time: %s" % (kind.scene.name, kind.killed,
                                                    "\n    ".join(wrong)))
        for kind in kinds:
            bad += kind.scene.close()
            print("%s (%.2f s): %d times killed, %d behind its trace" % (
                kind.scene.name, kind.seconds, kind.killed, kind.whole))
        report.check("all", bad)
    report.exit()


if __name__ == "__main__":
    main()
