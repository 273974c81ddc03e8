#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inlined functions are drawn where the source has them, whatever leaves their frames.

Each function calls mark(N), which is never inlined, so that a branch is seen in it. What is
expected is written from the source: the calls in their order, inlined functions with a star. Only
where an exception lands, the first instructions are of no inlined function: so it has debug info
(addr2line -i), and `catching` is left and entered again.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import fxt  # noqa: E402
import harness  # noqa: E402
from softtrace import cannot_test  # noqa: E402

BUILD = harness.build_dir()

PROGRAM = r"""
#include <csetjmp>
#include <csignal>

#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noinline))
/* Behind a function's last call, which is a tail call otherwise. */
#define STAY() (sink = sink + 1)

static volatile int sink;
static jmp_buf place;

extern "C" {

CALLED void mark(int n) { sink = n; }

INLINED void leaf(int n)
{
	mark(n);
	sink = sink + 1;
	mark(n + 1);
}

INLINED void middle(int n)
{
	mark(n);
	leaf(n + 1);                    /* calls leaf */
	mark(n + 3);
}

CALLED void nested()
{
	mark(1);
	middle(2);                      /* calls middle */
	mark(6);
	leaf(7);
	mark(9);
	STAY();
}

CALLED void again(int n);

INLINED void step(int n)
{
	mark(n);
	if (n > 20)
		again(n - 1);
	mark(n + 1);
}

CALLED void again(int n)
{
	step(n);
	mark(30);
	STAY();
}

CALLED void last(int n)
{
	mark(n);
	STAY();
}

INLINED void before_last(int n)
{
	mark(n);
	last(n + 1);
}

CALLED void tail(int n)
{
	mark(n);
	before_last(n + 1);
}

CALLED void thrower(int n)
{
	mark(n);
	throw n;
}

INLINED void throwing(int n)
{
	mark(n);
	thrower(n + 1);
	mark(999);
}

INLINED void catching(int n)
{
	try {
		throwing(n);
	} catch (int caught) {
		mark(caught + 1);
	}
}

CALLED void exception()
{
	catching(50);
	mark(53);
	STAY();
}

CALLED void jumper(int n)
{
	mark(n);
	longjmp(place, 1);
}

INLINED void jumping(int n)
{
	mark(n);
	jumper(n + 1);
	mark(999);
}

CALLED void jump()
{
	if (setjmp(place) == 0) {
		mark(60);
		jumping(61);
	}
	mark(63);
	STAY();
}

CALLED void handler(int)
{
	leaf(71);
	STAY();
}

INLINED void raising()
{
	mark(70);
	raise(SIGUSR1);
	mark(73);
}

CALLED void signalled()
{
	signal(SIGUSR1, handler);
	raising();
	mark(74);
	STAY();
}

}

int main()
{
	nested();
	again(21);
	tail(40);
	exception();
	jump();
	signalled();
	mark(99);
	return 0;
}
"""

EXPECTED = """
main
  nested
    mark
    middle*
      mark
      leaf*
        mark
        mark
      mark
    mark
    leaf*
      mark
      mark
    mark
  again
    step*
      mark
      again
        step*
          mark
          mark
        mark
      mark
    mark
  tail
    mark
    before_last*
      mark
  last
    mark
  exception
    catching*
      throwing*
        mark
        thrower
          mark
    catching*
      mark
    mark
  jump
    mark
    jumping*
      mark
      jumper
        mark
    mark
  signalled
    raising*
      mark
      handler
        leaf*
          mark
          mark
      mark
    mark
  mark
"""

NAMES = set(EXPECTED.replace("*", "").split())


def tree(events):
    """The calls of known functions, a line each, between the begin and the end of main."""
    lines, stack = [], []               # of this process's only thread
    for event in events:
        if event.ph == "B":
            known = event.name in NAMES and (event.name == "main" or "main" in stack)
            stack.append(event.name if known else None)
            if known:
                star = "*" if event.args.get("[inlined]") == "true" else ""
                depth = sum(1 for name in stack if name) - 1
                lines.append("  " * depth + event.name + star)
        elif event.ph == "E":
            stack.pop()
    return lines


def differences(got, want):
    for i in range(max(len(got), len(want))):
        a, b = got[i:i + 1], want[i:i + 1]
        if a != b:
            return ["line %d is %r, not %r; all:\n%s" % (i + 1, a, b, "\n".join(map(str, got)))]
    return []


class Program:
    def __init__(self, work, *flags):
        self.work = work
        with open(self.path("prog.cc"), "w", encoding="utf-8") as f:
            f.write(PROGRAM.lstrip("\n"))
        subprocess.run(["g++", "-O2", "-fcf-protection=none", "-fno-ipa-ra", "-static-libgcc",
                        "-static-libstdc++", *flags, "prog.cc", "-o", "prog"], cwd=work, check=True)
        step = os.path.join(BUILD, "tests", "tools", "softstep")
        subprocess.run([step, "-i", "-o", self.path("perf.data"), "--", self.path("prog")], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def path(self, name):
        return os.path.join(self.work, name)

    def decode(self, *args):
        out = self.path("trace.fxt")
        ended = harness.program(BUILD, "decode", *args, "-o", out, self.path("perf.data"))
        if ended.status != 0:
            return [], ["status %s: %s" % (ended.status, ended.stderr)]
        return sorted(fxt.read(out), key=lambda e: e.time), harness.check_trace(out)


def drawn(program):
    events, faults = program.decode()
    return faults + differences(tree(events), EXPECTED.strip().split("\n"))


def switched_off(program):
    """Without them the rest is the same."""
    want = []
    depths = []
    for line in EXPECTED.strip().split("\n"):
        depth = (len(line) - len(line.lstrip())) // 2
        depths = depths[:depth] + [line.endswith("*")]
        if not depths[-1]:
            want.append("  " * (depth - sum(depths)) + line.strip())
    events, faults = program.decode("-inline", "off")
    more = program.decode("-stacks", "reference")
    if any("[inlined]" in e.args for e in more[0]):
        faults.append("drawn with -stacks reference")
    return faults + more[1] + differences(tree(events), want)


def lines(program):
    """Where each is, and where it was called from."""
    events, faults = program.decode()
    source = PROGRAM.lstrip("\n").split("\n")
    for name in ("middle", "leaf"):
        line, = (i + 1 for i, s in enumerate(source) if s.startswith("INLINED void %s(" % name))
        caller, = (i + 1 for i, s in enumerate(source) if "/* calls %s */" % name in s)
        found = [e.args for e in events if e.ph == "B" and e.name == name]
        args = found[0] if found else {}
        if not (line <= int(args.get("line", 0)) <= line + 2 and
                str(args.get("file")).endswith("prog.cc") and
                str(args.get("called_from")).endswith("prog.cc:%d" % caller)):
            faults.append("%s: %s" % (name, args))
    return faults


def depths(events):
    """Each begin of this process's only thread: how many are open then, and its name."""
    found, now = [], 0
    for event in events:
        now += {"B": 1, "E": -1}.get(event.ph, 0)
        if event.ph == "B":
            found.append((now, event.name))
    return found


def deep(program):
    """The limit of depth counts them: what lies deeper is left out, and nothing else."""
    events, faults = program.decode()
    whole = depths(events)
    for depth in range(3, 12) if harness.LONG else (3, 6, 9):
        events, more = program.decode("-max-depth", str(depth))
        want = [(n, name) for n, name in whole if n <= depth]
        faults += more + ["-max-depth %d: %s" % (depth, fault)
                          for fault in differences(depths(events), want)]
        if len(want) == len(whole) or not any(e.args.get("[inlined]") for e in events):
            faults.append("-max-depth %d: this tests nothing" % depth)
    return faults


def filtered(program):
    """A region that begins in an inlined function: it is drawn around it."""
    events, faults = program.decode("-filter", "thrower:jump")
    got = tree(events)
    want = ["main", "  exception", "    catching*", "      throwing*", "        thrower"]
    return faults + differences(got[:len(want)], want)


def main():
    report = harness.Report("e2e/inlined")
    why = cannot_test(BUILD)
    if why:
        report.skip("all", why)
        return
    with tempfile.TemporaryDirectory(prefix="magic-trace-") as work:
        program = Program(work, "-g")
        for test in (drawn, switched_off, lines, deep, filtered):
            report.check(test.__name__, test(program))
    with tempfile.TemporaryDirectory(prefix="magic-trace-") as work:
        program = Program(work)
        events, faults = program.decode()
        if any("[inlined]" in e.args and e.name in NAMES for e in events):
            faults.append("drawn without debug info")
        report.check("no debug info", faults)
    report.exit()


if __name__ == "__main__":
    main()
