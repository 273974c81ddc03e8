/* SPDX-License-Identifier: MIT */
/*
 * A library that comes and goes: dlopen, dlsym, calls through pointers, dlclose; twice.
 *
 * Spans:
 *	once	2	main
 *	add	33	once
 */
#include <dlfcn.h>
#include <stdio.h>

#define APART __attribute__((noipa))

typedef double function(double);

static volatile double sum;

APART static void add(double x)
{
	sum += x;
}

APART static int once(int n)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	function *cosine, *power;

	if (!library)
		return -1;
	cosine = (function *)dlsym(library, "cos");
	power = (function *)dlsym(library, "exp");
	for (int i = 0; i < n; i++)
		add(cosine(i) + power(-i));
	return dlclose(library);
}

int main(void)
{
	int failed = once(30) + once(3);

	printf("dl %d %.3f\n", failed, sum);
	return 0;
}
