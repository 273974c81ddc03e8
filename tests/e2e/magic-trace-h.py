#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""include/magic_trace.h: by each compiler, standard and way of linking, two object files and a
shared library that include it have one stop indicator, which is called and gets its arguments.

tests/tools/calls.c says what is in DI and SI at each call; objdump and nm, what the linker made.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from harness import LONG, Report, TOOLS, TOP     # noqa: E402

# What the calls pass: DI, SI. Constants, so that a compiler could leave them out.
CALLS = [(0, 0), (0, 7), (5, 0), (5, 9), (0, 0), (0, 1), (0, 2), (0, 0), (0, 3)]

MAIN = r"""
#include "magic_trace.h"
#include <stdio.h>
#ifdef __cplusplus
extern "C" {
#endif
void other(void);
void library(void);
void *in_other(void);
void *in_library(void);
#ifdef __cplusplus
}
#endif
/* What a linker that folds equal functions might take for the stop indicator. */
void empty(uint64_t a, uint64_t b);
__attribute__((noinline)) void empty(uint64_t a, uint64_t b)
{
	__asm__ __volatile__("" : : "r"(a), "r"(b) : "memory");
}
int main(void)
{
	void *here = (void *)(uintptr_t)&magic_trace_stop_indicator;
	uint64_t start = magic_trace_mark_start();

	if (here != in_other() || here != in_library())
		return 3;
	if (start == 0 || magic_trace_mark_start() < start)
		return 4;
	if (magic_trace_request_snapshot() != -1)
		return 5;
	printf("%p\n", here);
	fflush(stdout);
	kill(getpid(), SIGSTOP);
	magic_trace_take_snapshot();
	magic_trace_take_snapshot_with_arg(7);
	magic_trace_take_snapshot_with_time(5);
	magic_trace_take_snapshot_with_time_and_arg(5, 9);
	empty(11, 12);
	other();
	library();
	return 0;
}
"""

OTHER = r"""
#include "magic_trace.h"
#ifdef __cplusplus
extern "C" {
#endif
void NAME(void);
void *in_NAME(void);
#ifdef __cplusplus
}
#endif
__attribute__((visibility("default"))) void *in_NAME(void)
{
	return (void *)(uintptr_t)&magic_trace_stop_indicator;
}
__attribute__((visibility("default"))) void NAME(void)
{
	MORE
}
"""

IN_OTHER = "int i; magic_trace_take_snapshot();" \
           "for (i = 1; i < 3; i++) magic_trace_take_snapshot_with_arg(i);"
IN_LIBRARY = "magic_trace_take_snapshot(); magic_trace_take_snapshot_with_arg(3);"

WARNINGS = "-Wall -Wextra -Werror -Wpedantic -Wshadow".split()
C_WARNINGS = ["-Wmissing-prototypes", "-Wstrict-prototypes"]

REQUEST = r"""
#include "magic_trace.h"
int main(void)
{
	return magic_trace_request_snapshot() == 0 ? 0 : 1;
}
"""


def sh(argv, **more):
    """Its stdout; an error is raised with what it wrote to stderr."""
    p = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                       universal_newlines=True, timeout=60, **more)
    if p.returncode:
        raise RuntimeError("%s: status %d\n%s%s" % (" ".join(argv), p.returncode, p.stderr,
                                                    p.stdout))
    return p.stdout


def sources(work):
    """The three sources in both languages."""
    for suffix in ("c", "cc"):
        texts = {"main": MAIN,
                 "other": OTHER.replace("NAME", "other").replace("MORE", IN_OTHER),
                 "library": OTHER.replace("NAME", "library").replace("MORE", IN_LIBRARY)}
        for name, text in texts.items():
            with open(os.path.join(work, name + "." + suffix), "w", encoding="utf-8") as f:
                f.write(text)


def build(work, compiler, flags, link):
    """The program and its library."""
    suffix = "cc" if "++" in compiler else "c"
    warnings = WARNINGS if suffix == "cc" else WARNINGS + C_WARNINGS
    base = [compiler, "-I", os.path.join(TOP, "include"), *warnings, *flags]

    def path(name):
        return os.path.join(work, name)

    for name in ("main", "other"):
        sh([*base, "-c", "-o", path(name + ".o"), path(name + "." + suffix)])
    shared = ["-fPIC", "-shared", *(f for f in link if f != "-no-pie")]
    sh([*base, *shared, "-o", path("liblibrary.so"), path("library." + suffix)])
    sh([*base, *link, "-o", path("program"), path("main.o"), path("other.o"), path("liblibrary.so"),
        "-Wl,-rpath," + work])
    return path("program")


def faults(work, calls, compiler, flags, link):
    """What is wrong with the program that this makes."""
    program = build(work, compiler, flags, link)
    wrong = []
    seen = [tuple(int(n) for n in line.split()) for line in sh([calls, program]).splitlines()]
    if seen != CALLS:
        wrong.append("the calls were %s, not %s" % (seen, CALLS))
    names = [line for line in sh(["nm", program]).splitlines()
             if line.endswith(" magic_trace_stop_indicator")]
    if len(names) != 1 or names[0].split()[1] not in "WT":
        wrong.append("nm: %s" % names)
    for file in (program, os.path.join(work, "liblibrary.so")):
        called = re.findall(r"\b(?:call|jmp).*<magic_trace_stop_indicator",
                            sh(["objdump", "-d", "--no-show-raw-insn", file]))
        if not called:
            wrong.append("%s: no call in objdump -d" % os.path.basename(file))
    address = names[0].split()[0].lstrip("0") if names else ""
    twins = [line for line in sh(["nm", program]).splitlines()
             if line.lstrip("0").startswith(address + " ") and not line.endswith("_indicator")]
    if twins:
        wrong.append("another function has its address: %s" % twins)
    return wrong


def variants():
    """Compiler, flags of compiling, flags of linking."""
    languages = [("gcc", "c99"), ("gcc", "c11"), ("gcc", "gnu17"), ("g++", "c++98"),
                 ("g++", "c++17"), ("clang", "c99"), ("clang", "c11"), ("clang++", "c++98"),
                 ("clang++", "c++17")]
    for i, (compiler, std) in enumerate(languages):
        levels = ("-O0", "-O2", "-O3")
        for level in levels if LONG else levels[i % 3:i % 3 + 1]:
            yield compiler, ["-std=" + std, level], []
    for compiler, std in (("gcc", "c11"), ("g++", "c++17"), ("clang", "c11"),
                          ("clang++", "c++17")):
        first = ["-std=" + std, "-O2"]
        lto = ["-fuse-ld=lld"] if "clang" in compiler else []
        yield compiler, [*first, "-flto"], lto
        yield compiler, [*first, "-fvisibility=hidden", "-ffunction-sections"], ["-Wl,--gc-sections"]
        yield compiler, [*first, "-ffunction-sections"], ["-fuse-ld=gold", "-Wl,--icf=all"]
        yield compiler, [*first, "-ffunction-sections"], ["-fuse-ld=lld", "-Wl,--icf=all"]
    yield "gcc", ["-std=c11", "-O2", "-fcf-protection=full"], []
    yield "gcc", ["-std=c11", "-O2", "-masm=intel"], []
    yield "gcc", ["-std=c11", "-O2", "-fno-plt"], []
    yield "gcc", ["-std=c11", "-O2", "-fno-pie"], ["-no-pie"]
    yield "clang", ["-std=c11", "-O2", "-flto=thin"], ["-fuse-ld=lld"]


def check_request(report, work):
    """SIGUSR2 reaches the parent whose pid the environment has, and nobody else."""
    source, program = os.path.join(work, "request.c"), os.path.join(work, "request")
    with open(source, "w", encoding="utf-8") as f:
        f.write(REQUEST)
    sh(["gcc", "-std=c99", "-I", os.path.join(TOP, "include"), *WARNINGS, "-o", program, source])
    came = []
    old = signal.signal(signal.SIGUSR2, lambda *_: came.append(1))
    wrong = []
    me = str(os.getpid())
    for text, expected in ((me, 0), (None, 1), ("", 1), ("1", 1), (me + "x", 1), ("-" + me, 1),
                           (" " + me, 1), (str(os.getppid()), 1), ("9" * 40, 1)):
        env = dict(os.environ)
        env.pop("MAGIC_TRACE_PID", None)
        if text is not None:
            env["MAGIC_TRACE_PID"] = text
        del came[:]
        status = subprocess.run([program], env=env, check=False).returncode
        if status != expected or bool(came) != (expected == 0):
            wrong.append("MAGIC_TRACE_PID=%s: status %d, %d signals" % (text, status, len(came)))
    signal.signal(signal.SIGUSR2, old)
    report.check("request", wrong)


def check_docs(report, work):
    """The examples of docs/triggers.md compile, and those that call the stop indicator do."""
    with open(os.path.join(TOP, "docs", "triggers.md"), encoding="utf-8") as f:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.M | re.S)
    compilers = {"c": [["gcc", "-std=c99", "-O2"], ["g++", "-x", "c++", "-O2"]],
                 "rust": [["rustc", "-O", "--edition", "2021"]]}
    for i, (language, text) in enumerate(blocks):
        name = "docs %d %s" % (i, language)
        if language == "python":
            compile(text, name, "exec")
            report.ok(name)
        for command in compilers.get(language, []):
            if not shutil.which(command[0]):
                report.skip(command[0], "%s is not installed" % command[0])
                continue
            whole = "main(" in text
            source, out = os.path.join(work, "example." + language), os.path.join(work, "example")
            with open(source, "w", encoding="utf-8") as f:
                f.write(text)
            if language == "c":
                command = [*command, "-Wall", "-Werror", "-I", os.path.join(TOP, "include"),
                           *([] if whole else ["-c"])]
            try:
                sh([*command, "-o", out, source])
                calls = "magic_trace_stop_indicator" in sh(["objdump", "-dr", out])
                report.check("%s %s" % (name, command[0]), [] if calls else ["no call"])
            except RuntimeError as e:
                report.fail("%s %s" % (name, command[0]), e)


def main():
    report = Report("e2e/magic-trace-h")
    if os.uname().machine != "x86_64":
        report.skip("all", "not x86-64")
        report.exit()
    with tempfile.TemporaryDirectory() as work:
        sources(work)
        calls = os.path.join(work, "calls")
        sh(["gcc", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-o", calls,
            os.path.join(TOOLS, "calls.c")])
        check_request(report, work)
        check_docs(report, work)
        for compiler, flags, link in variants():
            name = " ".join([compiler, *flags, *link])
            tool = next((w for w in link if w.startswith("-fuse-ld=")), "").replace(
                "-fuse-ld=", "ld.")
            missing = [t for t in (compiler, tool) if t and not shutil.which(t)]
            if missing:
                report.skip(missing[0], "%s is not installed" % missing[0])
                continue
            try:
                report.check(name, faults(work, calls, compiler, flags, link))
            except (RuntimeError, subprocess.TimeoutExpired) as e:
                report.fail(name, e)
    report.exit()


if __name__ == "__main__":
    main()
