#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What we build is hard to exploit (docs/security.md): read by readelf, not from the flags."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import harness                  # noqa: E402

BUILD = harness.build_dir()
FILES = ["magic-trace", "magic-trace-qemu.so", "magic-trace-dlfilter.so"]
# GCC puts a canary into a function that has an array; glibc checks a call whose buffer it knows.
CANARY = r"__stack_chk_fail"
FORTIFIED = r"__\w+_chk(?:@|$)"


def readelf(path, *flags):
    return subprocess.run(["readelf", "-W", *flags, path], check=True, stdout=subprocess.PIPE,
                          text=True, env=dict(os.environ, LC_ALL="C")).stdout


def flags_of(name):
    with open(os.path.join(BUILD, name)) as f:
        return f.read()


def segments(text):
    """(type, flags) of each segment."""
    return re.findall(r"^  (\w+)\s+0x\S+ 0x\S+ 0x\S+ 0x\S+ 0x\S+ ([RWE ]{3})", text, re.M)


def imported(path):
    return re.findall(r" UND (\S+)", readelf(path, "--dyn-syms"))


def faults_of(name, fortified):
    path = os.path.join(BUILD, name)
    dynamic = readelf(path, "-d")
    parts = segments(readelf(path, "-l"))
    names = imported(path)
    said = []

    def expect(good, what):
        if not good:
            said.append("%s: %s" % (name, what))

    expect("DYN" in re.search(r"Type:\s+(\w+)", readelf(path, "-h")).group(1),
           "is not position-independent")
    expect(name.endswith(".so") or re.search(r"FLAGS_1.*\bPIE\b", dynamic), "is no PIE")
    expect(re.search(r"FLAGS_1.*\bNOW\b", dynamic), "binds lazily")
    expect("GNU_RELRO" in [kind for kind, _ in parts], "has no RELRO")
    expect([f for kind, f in parts if kind == "GNU_STACK"] == ["RW "], "has an executable stack")
    expect(not [f for _, f in parts if "W" in f and "E" in f], "has a segment to write and execute")
    expect(not re.search(r"TEXTREL|RPATH|RUNPATH", dynamic), "has TEXTREL, RPATH or RUNPATH")
    expect([n for n in names if re.match(CANARY, n)], "has no stack canaries")
    if fortified:
        expect([n for n in names if re.match(FORTIFIED, n)], "has no fortified calls")
    return said


def program(report, name, fortified):
    report.check(name, faults_of(name, fortified))


def commands(*variables):
    """What make would run."""
    return subprocess.run(
        ["make", "-s", "-n", "-B", "V=1", "O=%s" % os.path.join(BUILD, "packaged"), "all",
         *variables], check=True, text=True,
        cwd=harness.TOP, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")}).stdout


def not_optimised(report):
    """glibc warns of _FORTIFY_SOURCE then, and a warning is an error."""
    faults = ["%s: %s" % (flags, "fortified" if bad else "not fortified")
              for flags, bad in [("-g", True), ("-O2 -O0", True), ("-O0 -O1", False)]
              if ("-D_FORTIFY_SOURCE" in commands("CFLAGS=" + flags)) == bad]
    report.check("not-optimised", faults)


def a_packagers_flags_win(report):
    """They stand behind ours, in each command."""
    out = commands("CFLAGS=-O1 -fno-stack-protector", "LDFLAGS=-Wl,-z,lazy")
    compiled = [line for line in out.splitlines() if " -c -o " in line]
    linked = [line for line in out.splitlines() if "-z,relro" in line]
    faults = [] if len(compiled) > 100 and len(linked) == 3 else [
        "%d compiled and %d linked" % (len(compiled), len(linked))]
    faults += [line for line in compiled if not re.search(
        "-fstack-protector-strong .*-O1 -fno-stack-protector", line)]
    faults += [line for line in linked if not re.search("-z,now .*-z,lazy", line)]
    report.check("packagers-flags", faults)


def main():
    report = harness.Report("e2e/hardened")
    flags = flags_of("flags-are")
    if "-fstack-protector-strong" not in flags:
        report.skip("built", "HARDEN=0")
        report.exit()
    # neither without optimisation, nor under the address sanitizer
    program(report, FILES[0], "_FORTIFY_SOURCE" in flags)
    # of these two, one has no call that glibc could check
    program(report, FILES[1], "_FORTIFY_SOURCE" in flags)
    program(report, FILES[2], False)
    a_packagers_flags_win(report)
    not_optimised(report)
    report.exit()


if __name__ == "__main__":
    main()
