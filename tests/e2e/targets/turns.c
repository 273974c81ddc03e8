/* SPDX-License-Identifier: MIT */
/* All the ways in which control comes to a function, in and out of loops. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noinline, noclone))

static jmp_buf back;
static volatile int sink, never;

APART static void spin(int n)
{
	for (int i = 0; i < n; i++)
		sink += i & 1 ? i : -i;
}

/* Jumps back to its own first instruction, or nearly. */
APART static int again(int n)
{
	sink++;
	return n ? again(n - 1) : sink;
}

APART static int recursive(int n)
{
	int sum = 0;

	for (int i = 0; i < 2 && n; i++)
		sum += recursive(n - 1);
	return sum + 1;
}

APART static void leap(int n)
{
	spin(n);
	if (n)
		leap(n - 1);
	else if (!never)
		longjmp(back, 1);
	spin(n);
}

/* Lands in the middle, in a loop that goes on. */
APART static void land(void)
{
	for (volatile int i = 0; i < 3; i++) {
		if (setjmp(back) == 0)
			leap(3);
		spin(2);
	}
}

static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int v[20];

	for (int i = 0; i < 20; i++)
		v[i] = i * 7 % 20;
	qsort(v, 20, sizeof(*v), order);
	spin(9);
	again(5);
	sink += recursive(4);
	land();
	/* by a computed jump, inside one function */
	for (int i = 0; i < 4; i++) {
		static const void *const labels[] = { &&zero, &&one, &&two };

		goto *labels[i % 3];
	zero:
		sink++;
	one:
		spin(1);
	two:
		sink--;
	}
	puts("turns");
	return 0;
}
