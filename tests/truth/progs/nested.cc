/* SPDX-License-Identifier: MIT */
/*
 * Exceptions in exceptions: thrown and caught in a destructor that another one runs, thrown again
 *in each frame of a recursion, kept for later, nested.
 *
 * Spans:
 *	again	12	main again
 *	works	6	again nests keeps
 *	throws	6	*
 *	nests	2	main
 *	keeps	1	main
 *	later	1	main
 *	mark	*	*
 */
#include <cstdio>
#include <exception>
#include <stdexcept>

#define APART __attribute__((noipa))

namespace
{

int sum;

APART void mark(int i)
{
	sum += i;
}

APART void throws(int n)
{
	if (n)
		throw n;
	mark(1);
}

struct Catcher {
	int value;
	APART ~Catcher()
	{
		try {
			throws(value);
		} catch (int thrown) {
			mark(thrown);
		}
	}
};

APART int works(int n)
{
	Catcher catcher{ n + 1 };

	if (n % 2)
		throw std::runtime_error("odd");
	return n;
}

APART int again(int n, int depth)
{
	try {
		return depth ? again(n, depth - 1) : works(n);
	} catch (const std::exception &) {
		mark(depth);
		throw;
	}
}

APART int nests(int n)
{
	try {
		try {
			return works(n);
		} catch (...) {
			std::throw_with_nested(std::logic_error("around"));
		}
	} catch (const std::exception &around) {
		try {
			std::rethrow_if_nested(around);
		} catch (const std::exception &) {
			mark(5);
		}
		return -1;
	}
}

APART std::exception_ptr keeps(int n)
{
	try {
		works(n);
	} catch (...) {
		return std::current_exception();
	}
	return nullptr;
}

APART void later(const std::exception_ptr &kept)
{
	try {
		std::rethrow_exception(kept);
	} catch (const std::runtime_error &) {
		mark(3);
	}
}

} // namespace

int main()
{
	int r = 0;

	for (int i = 0; i < 3; i++) {
		try {
			r += again(i, 3);
		} catch (const std::exception &) {
			mark(2);
		}
	}
	r += nests(1) + nests(2);
	later(keeps(3));
	mark(1);
	std::printf("nested %d %d\n", r, sum);
	return 0;
}
