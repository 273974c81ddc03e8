#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exceptions of OCaml in a program that has its compiler's notes about handlers.

OCaml's own compiler does not write them (a fork of it does), so the program is assembly, made as
that would make it: handlers are chained through r14, and raising is a return to the innermost one.
`catches`, `outer` and `inner` have one each. Handlers are removed where nothing is raised; that of
`inner` raises again. What is expected is written from the source: the calls in their order.
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
	.macro	function name
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	push_trap label, at
	leaq	\label(%rip), %r13
	pushq	%r13
\at:
	pushq	%r14
	movq	%rsp, %r14
	.endm
	.macro	pop_trap at
\at:
	popq	%r14
	addq	$8, %rsp
	.endm
	.macro	raise
	movq	%r14, %rsp
	popq	%r14
	ret
	.endm

	.text
function mark
	ret
	.size	mark, .-mark

# raises after edi calls of itself, unless that is less than 0
function deep
	call	mark
	testl	%edi, %edi
	js	1f
	jz	2f
	decl	%edi
	call	deep
1:	ret
2:	raise
	.size	deep, .-deep

function catches
	push_trap .Lcaught, .Lpushed
	call	deep
	pop_trap .Lpopped
	call	mark
	ret
.Lcaught:
	call	mark
	ret
	.size	catches, .-catches

function inner
	push_trap .Lagain, .Lpushed_inner
	call	deep
	pop_trap .Lpopped_inner
	ret
.Lagain:
	call	mark
	raise
	.size	inner, .-inner

function outer
	push_trap .Lat_last, .Lpushed_outer
	call	inner
	pop_trap .Lpopped_outer
	ret
.Lat_last:
	call	mark
	ret
	.size	outer, .-outer

function main
	pushq	%r13
	pushq	%r14
	pushq	%rbx
	movl	$2, %edi
	call	catches
	movl	$-1, %edi
	call	catches
	movl	$1, %edi
	call	outer
	call	mark
	popq	%rbx
	popq	%r14
	popq	%r13
	xorl	%eax, %eax
	ret
	.size	main, .-main
	.section .note.GNU-stack,"",@progbits
"""

# As OCaml's compiler writes them: the addresses are those of the file.
NOTES = r"""
	.section .stapsdt.base,"aG",@progbits,.stapsdt.base,comdat
_.base:	.byte	0
	.section .note.ocaml_eh,"",@note
	.long	6, 2f - 1f, 1
	.asciz	"OCaml"
	.balign	4
1:	.quad	_.base
	.quad	.Lcaught, .Lagain, .Lat_last, 0
	.quad	.Lpushed, .Lpushed_inner, .Lpushed_outer, 0
	.quad	.Lpopped, .Lpopped_inner, .Lpopped_outer, 0
2:	.balign	4
"""

EXPECTED = """
main
  catches
    deep
      mark
      deep
        mark
        deep
          mark
    mark
  catches
    deep
      mark
    mark
  outer
    inner
      deep
        mark
        deep
          mark
      mark
    mark
  mark
"""


def tree(path):
    lines, stack = [], []
    for event in sorted(fxt.read(path), key=lambda e: e.time):
        if event.ph == "B":
            stack.append(event.name)
            if "main" in stack:
                lines.append("  " * (len(stack) - 1 - stack.index("main")) + event.name)
        elif event.ph == "E":
            stack.pop()
    return lines


def record(work, *flags):
    with open(os.path.join(work, "prog.s"), "w", encoding="utf-8") as f:
        f.write(PROGRAM + NOTES)
    prog = os.path.join(work, "prog")
    subprocess.run(["gcc", *flags, "-o", prog, "prog.s"], cwd=work, check=True)
    step = os.path.join(BUILD, "tests", "tools", "softstep")
    subprocess.run([step, "-i", "-o", os.path.join(work, "perf.data"), "--", prog], check=True,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def decode(work, *args):
    out = os.path.join(work, "trace.fxt")
    ended = harness.program(BUILD, "decode", *args, "-o", out, os.path.join(work, "perf.data"))
    if ended.status != 0:
        return [], ["status %s: %s" % (ended.status, ended.stderr)]
    return tree(out), harness.check_trace(out)


def with_notes(work, *args):
    got, faults = decode(work, "-executable", os.path.join(work, "prog"), *args)
    want = EXPECTED.strip().split("\n")
    if got != want:
        faults.append("\n".join(got))
    return faults


def main():
    report = harness.Report("e2e/ocaml-notes")
    why = cannot_test(BUILD)
    if why:
        report.skip("all", why)
        report.exit()
    for name, flags in (("PIE", ("-pie",)), ("no PIE", ("-no-pie",))):
        with tempfile.TemporaryDirectory(prefix="magic-trace-") as work:
            record(work, *flags)
            report.check(name, with_notes(work))
            report.check(name + ", by the reference's rules",
                         with_notes(work, "-stacks", "reference"))
    report.exit()


if __name__ == "__main__":
    main()
