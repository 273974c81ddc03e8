/* SPDX-License-Identifier: MIT */
/*
 * Generators that are switched as boost.context does it: by a jump to where the other one goes on,
 * which is a function's first byte when it begins.
 *
 * Spans:
 *	generate	*	*
 *	leaf	*	generate
 *	next	32	main pair
 *	pair	8	main
 *	mark	*	*
 */
#include <stdint.h>
#include <stdio.h>

#define APART      __attribute__((noipa))
#define GENERATORS 3

/* Leaves this stack, and goes on with the other one; returns the one that comes back to it. */
void *jump(void *to);

__asm__(".text\n"
	".globl jump\n"
	".type jump, @function\n"
	"jump:\n"
	"	sub $0x18, %rsp\n"
	"	mov %rbx, (%rsp)\n"
	"	mov %rbp, 8(%rsp)\n"
	"	mov %rsp, %rax\n"
	"	mov %rdi, %rsp\n"
	"	mov (%rsp), %rbx\n"
	"	mov 8(%rsp), %rbp\n"
	"	mov 0x18(%rsp), %r8\n"
	"	add $0x20, %rsp\n"
	"	mov %rax, %rdi\n"
	"	jmp *%r8\n"
	".size jump, .-jump\n");

static _Alignas(16) char stacks[GENERATORS][16384];
static void *left[GENERATORS], *caller;
static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

APART static void leaf(int i)
{
	mark(i);
	caller = jump(caller);
	mark(1);
}

APART static void generate(void *from)
{
	caller = from;
	for (;;) {
		leaf(1);
		mark(2);
		leaf(3);
	}
}

APART static void next(int i)
{
	mark(i);
	left[i] = jump(left[i]);
	mark(4);
}

APART static void pair(int i)
{
	next(i % GENERATORS);
}

int main(void)
{
	for (int i = 0; i < GENERATORS; i++) {
		uintptr_t *top = (uintptr_t *)(stacks[i] + sizeof(stacks[i])) - 2;

		*--top = (uintptr_t)generate;
		left[i] = top - 3;
	}
	for (int k = 0; k < 8; k++) {
		for (int i = 0; i < GENERATORS; i++)
			next(i);
		pair(k);
	}
	printf("context %d\n", sum);
	return 0;
}
