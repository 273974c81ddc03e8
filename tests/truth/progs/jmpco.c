/* SPDX-License-Identifier: MIT */
/*
 * Coroutines made of nothing but signals and longjmp: a handler on a stack of its own calls setjmp
 * and returns, and is gone back to by longjmp.
 *
 * Spans:
 *	tramp	*	*
 *	create	3	main
 *	resume	15	main
 *	boot	*	*
 *	body	*	*
 *	wait	*	*
 *	mark	*	*
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noipa))

static sigjmp_buf inside[3], outside, handler;
static char stacks[3][65536];
static volatile int sum, current;

APART static void mark(int i)
{
	sum += i;
}

APART static void wait(int i)
{
	if (!sigsetjmp(inside[i], 0))
		siglongjmp(outside, 1);
	mark(1);
}

APART static void body(int i)
{
	for (int k = 0; k < 3; k++) {
		mark(i);
		wait(i);
	}
	for (;;)
		wait(i);
}

APART static void boot(void)
{
	int i = current;

	if (!sigsetjmp(inside[i], 0))
		siglongjmp(outside, 1);
	body(i);
	abort();
}

APART static void tramp(int sig)
{
	(void)sig;
	if (sigsetjmp(handler, 0))
		boot();
}

APART static void create(int i)
{
	stack_t there = { .ss_sp = stacks[i], .ss_size = sizeof(stacks[i]) };
	stack_t nowhere = { .ss_flags = SS_DISABLE };

	sigaltstack(&there, NULL);
	current = i;
	raise(SIGUSR1);
	sigaltstack(&nowhere, NULL);
	if (!sigsetjmp(outside, 0))
		siglongjmp(handler, 1);
	mark(9);
}

APART static void resume(int i)
{
	if (!sigsetjmp(outside, 0))
		siglongjmp(inside[i], 1);
	mark(3);
}

int main(void)
{
	struct sigaction action = { .sa_handler = tramp, .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 3; i++)
		create(i);
	for (int k = 0; k < 5; k++)
		for (int i = 0; i < 3; i++)
			resume(i);
	printf("jmpco %d\n", sum);
	return 0;
}
