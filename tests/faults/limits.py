#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Too little memory, too few files, files that may not grow (setrlimit(2)): from what it cannot
start with to what is enough. A message each time, never a crash, nor a wait without end.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "e2e"), os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402
import live                     # noqa: E402
import scenes                   # noqa: E402

KINDS = [scenes.DecodeText, scenes.DecodeSampled, scenes.Run, scenes.RunSteps, scenes.Attach,
         scenes.AttachSteps] if harness.LONG else [scenes.DecodeText]
# What sh(1) calls the limit, and its values: kB, files, blocks of 512 bytes.
LIMITS = {
    "memory": ("-v", list(range(4000, 100000, 2000 if harness.LONG else 12000)) + [4000000]),
    "files": ("-n", list(range(3, 40)) + [64] if harness.LONG else [4, 7, 10, 13, 16, 20, 64]),
    "size of files": ("-f", [0, 1, 2, 4, 64, 1000, 100000] if harness.LONG else [0, 1, 100000]),
}


def under(flag, value):
    return ["sh", "-c", "ulimit -c 0; ulimit %s %d; exec \"$@\"" % (flag, value), "sh"]


def starts(build, before):
    """Whether the dynamic linker gets as far as to our code."""
    p = subprocess.run([*before, os.path.join(build, "magic-trace"), "version"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
    return p.returncode == 0


def try_all(build, scene, flag, values):
    """Faults; and how often it ended with which status."""
    bad, ends = [], {}
    for value in values:
        before = under(flag, value)
        if not starts(build, before):
            continue
        scene.run(before=before)
        ends[scene.status] = ends.get(scene.status, 0) + 1
        wrong = scene.wrong()
        if wrong:
            bad.append("%s %d: %s" % (flag, value, "\n    ".join(wrong)))
    return bad, ends


def main():
    report = harness.Report("faults/limits")
    build = harness.build_dir()
    why = live.why_not()
    if why:
        report.skip("all", why)
        report.exit()
    with tempfile.TemporaryDirectory(prefix="mt-limits-") as top:
        programs = scenes.Programs(top)
        for kind in KINDS:
            scene = kind(build, top, programs)
            report.check(kind.name, scene.unharmed())
            for name, (flag, values) in LIMITS.items():
                bad, ends = try_all(build, scene, flag, values)
                if not bad and (0 not in ends or 1 not in ends):
                    bad = ["no limit that it fails for, or none that it does not: %s" % ends]
                report.check("%s, %s" % (kind.name, name), bad)
            report.check(kind.name + ", at the end", scene.close())
    report.exit()


if __name__ == "__main__":
    main()
