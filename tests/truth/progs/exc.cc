/* SPDX-License-Identifier: MIT */
/*
 * C++ exceptions: through frames with and without destructors, thrown again, from deep recursion,
 * and through C: a library whose frames have cleanups (exclib.c), and qsort.
 *
 * Spans:
 *	one	3	catches
 *	two	5	one lib_through throws_again
 *	three	6	two passes
 *	catches	3	main
 *	throws_again	1	outer
 *	outer	1	main
 *	passes	1	main
 *	lib_through	1	main
 *	lib_clean	1	lib_through
 *	deep	11	main deep
 *	sorts	1	main
 *	compare	1	*
 *	Guard::Guard	8	one two
 *	Guard::~Guard	8	one two
 *	mark	13	catches throws_again outer main sorts
 */
#include <cstdio>
#include <cstdlib>

#define APART __attribute__((noipa))

extern "C" int lib_through(int (*callback)(int), int n);

namespace
{

int sum;

struct Guard {
	int value;
	APART explicit Guard(int value) : value(value)
	{
	}
	APART ~Guard()
	{
		sum += value;
	}
};

APART void mark(int i)
{
	sum += i;
}

APART int three(int n)
{
	if (n % 2)
		throw n;
	return n;
}

APART int two(int n)
{
	Guard guard(2);

	return three(n) + guard.value;
}

APART int one(int n)
{
	Guard guard(1);

	return two(n) + guard.value;
}

APART int catches(int n)
{
	try {
		return one(n);
	} catch (int thrown) {
		mark(thrown);
		return -1;
	}
}

APART int throws_again(int n)
{
	try {
		return two(n);
	} catch (...) {
		mark(2);
		throw;
	}
}

APART int outer(int n)
{
	try {
		return throws_again(n);
	} catch (int thrown) {
		mark(thrown);
		return -2;
	}
}

/* a frame that an exception passes by */
APART int passes(int n)
{
	try {
		return three(n) + 1;
	} catch (const char *) {
		mark(99);
		return -3;
	}
}

APART int deep(int n)
{
	if (n == 0)
		throw 5;
	return deep(n - 1) + 1;
}

APART int compare(const void *, const void *)
{
	throw 7;
}

APART int sorts()
{
	int numbers[] = { 3, 1, 2 };

	try {
		std::qsort(numbers, 3, sizeof(*numbers), compare);
		return 0;
	} catch (int thrown) {
		mark(thrown);
		return -4;
	}
}

} // namespace

int main()
{
	int r = catches(0) + catches(1) + catches(3) + outer(1);

	try {
		r += passes(1);
	} catch (int thrown) {
		mark(thrown);
	}
	try {
		r += lib_through(two, 1);
	} catch (int thrown) {
		mark(thrown);
	}
	try {
		r += deep(10);
	} catch (int thrown) {
		mark(thrown);
	}
	r += sorts();
	for (int i = 0; i < 5; i++)
		mark(i);
	std::printf("exc %d %d\n", r, sum);
	return 0;
}
