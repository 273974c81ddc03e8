#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random streams of events: our spans against those of the slow model in ../shared/tools/model.

Where the model's own spans nest, ours must be the same in order; where they do not (it follows the
OCaml program, which draws such streams crosswise), the same spans at the same times, but nested.
Also kept cases, whose expected spans are stored, run without ../shared: see tests/golden/run.py.

usage: streams.py [BUILD [FIRST_SEED COUNT]]      prints what each failing seed differs in
"""
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import harness                  # noqa: E402
import cases                    # noqa: E402
import compare                  # noqa: E402
import expected                 # noqa: E402
import generate                 # noqa: E402
import rules                    # noqa: E402

BATCH = 500

# What must have occurred in a long run: none of these counts may be 0.
CONSTRUCTS = """
scope u|scope k|scope uk|several files|inferred begin|inferred begin on a nested stack
return from untraced|begin deferred at 0|end deferred at 0|several calls share a time|Go switch
Go switch to an unknown stack|jump to another symbol|OCaml raise, no notes|OCaml handler installed
OCaml handler removed|OCaml handler entered|OCaml handler removed that was not seen installed
OCaml handler removed, none known|parked stacks closed|stack parked|stack parked on another
moved by 1 ns after an error or the thread's start|time that stepped backwards|filter region
filter region entered|filter region entered with parked stacks|START without STOP|decode error
decode error without a time|decode error on an unknown thread|cbr|ptwrite|extra event|stack sample
stack sample without frames|frame that moved inside its function|iret or sysret to a parked stack
iret or sysret to nothing|transaction aborted|transaction lost in an error|transaction committed
transaction open at the end|thread that goes on in the next file|hit|hit with a passed time
""".replace("\n", "|").strip("|").split("|") + [
    "branch " + " ".join(w for w in (state, kind) if w) for state in ("", "tr strt", "tr end")
    for kind in generate.KINDS if (state or kind) and (state, kind) != ("tr strt", "jmp")]


def shared_case(seed):
    """The case that the generator beside the model makes."""
    scope, profile, text = gen.stream(seed)
    return cases.Case([text], scope, reference=True, label="gen.py %d, %s" % (seed, profile))


def difference(case, result, seen):
    """What is wrong with a result: a list, empty when all is well."""
    out = compare.faults(result.spans)
    want, writer = expected.run(case, seen)
    if compare.expected_nest(want):
        seen["compared in order"] += 1
        diff = compare.ordered_difference(want, result.spans)
    else:
        seen["compared loosely"] += 1
        diff = compare.loose_difference(want, compare.unpaired(result.spans))
    if diff:
        out.append(diff)
    if result.stats["clamped"] != writer.clamped:
        out.append("clamped: expected %d, got %d" % (writer.clamped, result.stats["clamped"]))
    return out


def run(build, report, name, make, seeds):
    """All seeds through the driver and the model."""
    seen, bad = collections.Counter(), []
    for at in range(0, len(seeds), BATCH):
        batch = [make(s) for s in seeds[at:at + BATCH]]
        try:
            results = cases.run_cases(build, batch)
        except cases.DriverDied as e:
            report.fail(name, "%s: %s" % (e.case.label if e.case else "?", e.why))
            return seen
        for case, result in zip(batch, results):
            faults = difference(case, result, seen)
            if faults:
                bad.append("%s: %s" % (case.label, "; ".join(faults[:3])))
    report.check("%s (%d streams)" % (name, len(seeds)), bad)
    return seen


def main():
    report = harness.Report("diff/streams")
    build = harness.build_dir()
    if not os.path.exists(rules.MODEL):
        report.skip("model", "no ../shared/tools/model here")
        return report
    first, count = 0, 20000 if harness.LONG else 300
    if len(sys.argv) > 3:
        first, count = int(sys.argv[2]), int(sys.argv[3])
    seeds = range(first, first + count)
    seen = run(build, report, "generator of the model", shared_case, seeds)
    seen += run(build, report, "our generator", generate.case, seeds)
    if harness.LONG:
        for construct, n in sorted(seen.items()):
            print("    %8d %s" % (n, construct))
        report.check("every construct occurred",
                     ["never: " + c for c in CONSTRUCTS if not seen[c]])
    return report


if __name__ == "__main__":
    if os.path.exists(rules.GENERATOR):
        gen = harness.load_module("gen", rules.GENERATOR)
    main().exit()
