/* SPDX-License-Identifier: MIT */
/*
 * swap LIBRARY LIBRARY: loads one library after the other, again and again, and calls what is in
 * it. Made with -DNAME=x it is such a library; those of different names are the same but for the
 * names of their functions.
 */
#ifdef NAME
#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

__attribute__((noinline)) static long NAMED(turn_, NAME)(long x, int n)
{
	for (int i = 0; i < n; i++)
		x = (x & 1 ? x * 3 + 1 : x >> 1) ^ i;
	return x;
}

/* The last call is a jump. */
__attribute__((noinline)) static long NAMED(down_, NAME)(long x, int n)
{
	return n ? NAMED(down_, NAME)(NAMED(turn_, NAME)(x, n), n - 1) * 5 : x;
}

long work(long x)
{
	return NAMED(turn_, NAME)(NAMED(down_, NAME)(x, 4), 3);
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *loaded_before;

/* Whether the library lies where the one before it did. */
static int use(const char *path, long *x)
{
	void *library = dlopen(path, RTLD_NOW);
	long (*work)(long);
	void *address = library ? dlsym(library, "work") : NULL;
	int same = address == loaded_before;

	if (!address) {
		fprintf(stderr, "swap: %s\n", dlerror());
		return -1;
	}
	memcpy(&work, &address, sizeof(work));
	*x = work(*x);
	loaded_before = address;
	dlclose(library);
	return same;
}

int main(int argc, char **argv)
{
	int same = 0;
	long x = 77;

	for (int i = 0; argc == 3 && i < 6; i++)
		same += use(argv[1 + i % 2], &x);
	printf("swap %d\n", same);
	return 0;
}
#endif
