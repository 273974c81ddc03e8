/* SPDX-License-Identifier: MIT */
/*
 * Callbacks from the C library: qsort, bsearch.
 *
 * Spans:
 *	key	*	compare
 *	look_up	20	main
 */
#include <stdio.h>
#include <stdlib.h>

#define APART __attribute__((noipa))
#define N     40

APART static int key(const void *number)
{
	return *(const int *)number % 100;
}

APART static int compare(const void *a, const void *b)
{
	return key(a) - key(b);
}

APART static int look_up(int what, const int *numbers)
{
	return bsearch(&what, numbers, N, sizeof(*numbers), compare) != NULL;
}

int main(void)
{
	int numbers[N], seed = 7, found = 0;

	for (int i = 0; i < N; i++)
		numbers[i] = seed = (seed * 1103 + 12345) % 10007;
	qsort(numbers, N, sizeof(*numbers), compare);
	for (int i = 0; i < 20; i++)
		found += look_up(5 * i, numbers);
	printf("qs %d %d %d\n", numbers[0] % 100, numbers[N - 1] % 100, found);
	return 0;
}
