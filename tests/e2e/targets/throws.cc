/* SPDX-License-Identifier: MIT */
/* Exceptions, through frames of their own, and with a destructor on the way. */
#include <cstdio>
#include <stdexcept>

static int destroyed;

struct Local {
	~Local()
	{
		destroyed++;
	}
};

__attribute__((noinline)) static int deep(int n)
{
	Local local;

	if (n == 0)
		throw std::runtime_error("boom");
	return deep(n - 1) + 1;
}

int main()
{
	int caught = 0;

	for (int i = 0; i < 2; i++)
		try {
			deep(1 + i);
		} catch (const std::exception &e) {
			caught += e.what()[0] == 'b';
		}
	printf("throws %d %d\n", caught, destroyed);
	return 0;
}
