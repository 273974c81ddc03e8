/* SPDX-License-Identifier: MIT */
/*
 * Exceptions that nobody may catch: std::terminate looks at them, and is left by longjmp; or it
 * calls abort, and the handler of its signal is left.
 *
 * Spans:
 *	throws	6	quiet
 *	quiet	6	left aborted
 *	left	3	main
 *	aborted	3	main
 *	looks	3	*
 *	on_abort	3	*
 *	mark	*	*
 */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#define APART __attribute__((noipa))

namespace
{

sigjmp_buf place;
volatile int sum;

APART void mark(int i)
{
	sum = sum + i;
}

APART void looks()
{
	try {
		std::rethrow_exception(std::current_exception());
	} catch (int thrown) {
		mark(thrown);
	}
	siglongjmp(place, 1);
}

APART void on_abort(int sig)
{
	mark(sig);
	siglongjmp(place, 1);
}

struct Guard {
	APART ~Guard()
	{
		mark(1);
	}
};

APART void throws(int n)
{
	Guard guard;

	throw n;
}

APART void quiet(int n) noexcept
{
	throws(n);
	mark(2);
}

APART void left(int n)
{
	std::set_terminate(looks);
	if (!sigsetjmp(place, 1))
		quiet(n);
	mark(3);
}

APART void aborted(int n)
{
	std::set_terminate(std::abort);
	if (!sigsetjmp(place, 1))
		quiet(n);
	mark(4);
}

} // namespace

int main()
{
	std::signal(SIGABRT, on_abort);
	for (int i = 0; i < 3; i++) {
		left(i);
		aborted(i);
	}
	std::printf("term %d\n", sum);
	return 0;
}
