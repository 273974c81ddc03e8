/* SPDX-License-Identifier: MIT */
/*
 * Assembly that pushes an address and jumps: where it is to return to, and where to go.
 *
 * Spans:
 *	target	10	*
 *	calls_by_push	*	main
 *	jumps_by_return	5	main
 *	mark	20	*
 */
#include <stdio.h>

#define APART __attribute__((noipa))

static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

APART __attribute__((used)) void target(void)
{
	mark(2);
}

/* push the return address, jump: as a call */
void calls_by_push(void);
/* push the function, return: as a jump */
void jumps_by_return(void);

__asm__(".text\n"
	".globl calls_by_push\n"
	".type calls_by_push, @function\n"
	"calls_by_push:\n"
	"	sub $8, %rsp\n"
	"	lea 1f(%rip), %rax\n"
	"	push %rax\n"
	"	jmp target\n"
	"1:	add $8, %rsp\n"
	"	ret\n"
	".size calls_by_push, .-calls_by_push\n"
	".globl jumps_by_return\n"
	".type jumps_by_return, @function\n"
	"jumps_by_return:\n"
	"	lea target(%rip), %rax\n"
	"	push %rax\n"
	"	ret\n"
	".size jumps_by_return, .-jumps_by_return\n");

int main(void)
{
	for (int i = 0; i < 5; i++) {
		calls_by_push();
		mark(1);
		jumps_by_return();
		mark(1);
	}
	printf("push %d\n", sum);
	return 0;
}
