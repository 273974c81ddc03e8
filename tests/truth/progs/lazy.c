/* SPDX-License-Identifier: MIT */
/*
 * Lazy binding of a hundred functions of a library, an IFUNC, and tail calls through a pointer into
 * the library.
 *
 * Spans:
 *	hundred	2	main
 *	passes_on	3	main
 *	lazy_42	5	hundred main
 *	chosen_plain	2	main
 */
#include <stdio.h>

#define APART     __attribute__((noipa))
#define D(n)      extern int lazy_##n(int i);
#define C(n)      i = lazy_##n(i);
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m) \
	TEN(m, 0)  \
	TEN(m, 1)  \
	TEN(m, 2) TEN(m, 3) TEN(m, 4) TEN(m, 5) TEN(m, 6) TEN(m, 7) TEN(m, 8) TEN(m, 9)

HUNDRED(D)
extern int chosen(int i);

static int (*volatile pointer)(int) = lazy_42;

APART static int hundred(int i)
{
	HUNDRED(C)
	return i;
}

APART static int passes_on(int i)
{
	return pointer(i + 1);
}

int main(void)
{
	int i = 0;

	for (int n = 0; n < 2; n++)
		i = chosen(hundred(i));
	for (int n = 0; n < 3; n++)
		i = passes_on(i);
	printf("lazy %d\n", i);
	return 0;
}
