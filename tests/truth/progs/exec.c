/* SPDX-License-Identifier: MIT */
/*
 * A program that becomes another, itself, three calls deep.
 *
 * Spans:
 *	main	2	*
 *	becomes	1	main
 *	replace	1	becomes
 *	leaf	30	main becomes
 */
#include <stdio.h>
#include <unistd.h>

#define APART __attribute__((noipa))

static volatile int sum;

APART static void leaf(void)
{
	sum++;
}

APART static int replace(char *path)
{
	char again[] = "again", *const argv[] = { path, again, NULL };

	execv(path, argv);
	return 1;
}

APART static int becomes(char *path)
{
	int failed;

	for (int i = 0; i < 10; i++)
		leaf();
	failed = replace(path);
	leaf();
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		return becomes(argv[0]);
	for (int i = 0; i < 20; i++)
		leaf();
	printf("exec %d\n", sum);
	return 0;
}
