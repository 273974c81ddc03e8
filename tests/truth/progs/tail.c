/* SPDX-License-Identifier: MIT */
/*
 * Calls at the end of a function that are jumps: in a chain, of one another, through a pointer, to
 * another file. What is jumped to takes the place of what jumps.
 *
 * Spans:
 *	plain	10	main
 *	first	10	plain
 *	second	20	plain main
 *	last	30	plain main
 *	pointed	10	main
 *	even	30	main
 *	odd	25	main
 *	outside	10	main
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noipa))

static volatile int sum;

APART static int last(int i)
{
	return sum += i;
}

APART static int second(int i)
{
	sum++;
	return last(i + 2);
}

APART static int first(int i)
{
	sum++;
	return second(i + 1);
}

APART static int plain(int i)
{
	int r = first(i);

	sum += r;
	return r + last(1);
}

static int (*volatile pointer)(int) = second;

APART static int pointed(int i)
{
	sum++;
	return pointer(i);
}

static int odd(int i);

APART static int even(int i)
{
	sum++;
	return i ? odd(i - 1) : 1;
}

APART static int odd(int i)
{
	sum++;
	return i ? even(i - 1) : 0;
}

APART static int outside(int i)
{
	sum += i;
	return rand(); /* NOLINT(cert-msc30-c,cert-msc50-cpp): any number will do */
}

int main(void)
{
	int r = 0;

	for (int i = 0; i < 10; i++)
		r += plain(i) + pointed(i) + even(i) + (outside(i) & 1);
	printf("tail %d\n", r & 0x1ff);
	return 0;
}
