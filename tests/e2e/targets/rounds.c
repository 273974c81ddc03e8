/* SPDX-License-Identifier: MIT */
/*
 * Work by the amount: rounds WHAT N.
 *	dlopen	loads the maths library N times, looks a function up, calls it
 *	fib	the Nth Fibonacci number: nearly all branches are calls and returns
 *	sort	sorts N numbers: nearly all branches are jumps
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

APART static long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int load(long n)
{
	double x = 2;

	while (n--) {
		void *library = dlopen("libm.so.6", RTLD_LAZY), *address;
		double (*function)(double);

		if (!library)
			return 1;
		address = dlsym(library, "cos");
		memcpy(&function, &address, sizeof(function));
		x = function(x);
		dlclose(library);
	}
	return x > 2;
}

APART static int sort(long n)
{
	unsigned int *v = malloc((size_t)n * sizeof(*v)), state = 1;

	if (!v)
		return 1;
	for (long i = 0; i < n; i++) {
		long k = i;

		state = state * 1664525 + 1013904223;
		for (; k && v[k - 1] > state; k--)
			v[k] = v[k - 1];
		v[k] = state;
	}
	free(v);
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (n <= 0)
		return 2;
	if (strcmp(argv[1], "fib") == 0)
		return fib(n) < 0;
	return strcmp(argv[1], "sort") == 0 ? sort(n) : load(n);
}
