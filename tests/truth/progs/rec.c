/* SPDX-License-Identifier: MIT */
/*
 * Recursion: direct, mutual, nested, deep.
 *
 * Spans:
 *	fib	177	main fib
 *	ack	27	main ack
 *	even	16	main odd
 *	odd	15	even
 *	deep	601	main deep
 */
#include <stdio.h>

#define APART __attribute__((noipa))

APART static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

APART static int ack(int m, int n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

static int odd(int n);

APART static int even(int n)
{
	return n == 0 ? 1 : odd(n - 1);
}

APART static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1);
}

APART static int deep(int n)
{
	return n == 0 ? 0 : deep(n - 1) + 1;
}

int main(void)
{
	printf("rec %d %d %d %d\n", fib(10), ack(2, 2), even(30), deep(600));
	return 0;
}
