/* SPDX-License-Identifier: MIT */
/*
 * longjmp out of calls, to a near frame and to one further out; and setjmp in a loop.
 *
 * Spans:
 *	outer	6	main
 *	middle	6	outer
 *	inner	6	middle
 *	step	6	inner
 *	leap	6	step
 *	loop	1	main
 *	back	10	loop
 *	mark	39	outer middle inner step leap loop
 */
#include <setjmp.h>
#include <stdio.h>

#define APART __attribute__((noipa))

static jmp_buf near_frame, far_frame;
static volatile int sum;

APART static void mark(int i)
{
	sum += i;
}

/* 0 and 3 return, 1 and 4 leap to the near frame, 2 and 5 to the far one */
APART static void leap(int i)
{
	mark(1);
	if (i % 3 == 1)
		longjmp(near_frame, 1);
	if (i % 3 == 2)
		longjmp(far_frame, 1);
	mark(2);
}

APART static void step(int i)
{
	leap(i);
	mark(3);
}

APART static void inner(int i)
{
	if (setjmp(near_frame) == 0)
		step(i);
	else
		mark(4);
	mark(5);
}

APART static void middle(int i)
{
	inner(i);
	mark(6);
}

APART static void outer(int i)
{
	if (setjmp(far_frame) == 0)
		middle(i);
	else
		mark(7);
	mark(8);
}

APART static void back(int i)
{
	longjmp(near_frame, i);
}

APART static void loop(void)
{
	int i = setjmp(near_frame);

	mark(i);
	if (i < 10)
		back(i + 1);
}

int main(void)
{
	for (int i = 0; i < 6; i++)
		outer(i);
	loop();
	printf("jmp %d\n", sum);
	return 0;
}
