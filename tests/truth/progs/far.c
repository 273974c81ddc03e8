/* SPDX-License-Identifier: MIT */
/*
 * Much of it: a handler that is left by siglongjmp a hundred times, setjmp in a loop, deep
 * recursion; and abort in a handler, whose signal has one that leaves both.
 *
 * Spans:
 *	handler	101	*
 *	left	100	main
 *	aborts	1	*
 *	gives_up	1	main
 *	tries	*	main
 *	jumps	*	tries
 *	down	*	main down
 *	mark	*	*
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noipa))

static sigjmp_buf place;
static jmp_buf near;
static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

APART static void handler(int sig)
{
	mark(sig);
	siglongjmp(place, 1);
}

APART static void aborts(int sig)
{
	mark(sig);
	abort();
}

APART static void gives_up(void)
{
	if (sigsetjmp(place, 1) == 0)
		raise(SIGUSR2);
	mark(1);
}

APART static void left(void)
{
	if (sigsetjmp(place, 1) == 0)
		raise(SIGUSR1);
	mark(1);
}

APART static void jumps(int i)
{
	if (i % 2)
		longjmp(near, i);
}

APART static void tries(int i)
{
	if (setjmp(near) == 0)
		jumps(i);
	mark(1);
}

APART static int down(int n)
{
	return n ? down(n - 1) + 1 : 0;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20; /* NOLINT(cert-err34-c): ours */

	signal(SIGUSR1, handler);
	signal(SIGABRT, handler);
	signal(SIGUSR2, aborts);
	gives_up();
	for (int i = 0; i < 100; i++)
		left();
	for (int i = 0; i < times; i++)
		tries(i);
	sum += down(times / 2);
	mark(1);
	printf("far %d\n", sum);
	return 0;
}
