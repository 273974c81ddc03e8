/* SPDX-License-Identifier: MIT */
#include "base/xalloc.h"

#include "support/suite.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(test_zero_sizes_are_memory_too)
{
	void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xreallocarray(NULL, 0, 0);

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_nonnull(c);
	free(a);
	free(b);
	free(c);
}
END_TEST

START_TEST(test_copies)
{
	char *a = xmemdup0("abcd", 2), *b = xstrdup("xyz"), *c = xasprintf("%d-%s", 7, "q");

	ck_assert_str_eq(a, "ab");
	ck_assert_str_eq(b, "xyz");
	ck_assert_str_eq(c, "7-q");
	ck_assert_ptr_null(xstrdup(NULL));
	free(a);
	free(b);
	free(c);
}
END_TEST

START_TEST(test_requests_are_counted)
{
	size_t before = xalloc_count();
	void *p = xmalloc(10);

	p = xreallocarray(p, 4, 100);
	ck_assert_uint_eq(xalloc_count(), before + 2);
	free(p);
}
END_TEST

static void say_cleaned(void)
{
	ssize_t n = write(STDOUT_FILENO, "cleaned\n", 8);

	(void)n;
}

START_TEST(test_out_of_memory_ends_the_process)
{
	char buf[200] = "";
	int fds[2], status;
	pid_t pid;
	ssize_t n;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		volatile size_t huge = SIZE_MAX / 2;

		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		xalloc_on_fail(say_cleaned);
		xreallocarray(NULL, huge, 16);
		_exit(77);
	}
	close(fds[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	n = read(fds[0], buf, sizeof(buf) - 1);
	ck_assert_int_gt(n, 0);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_str_eq(buf, "cleaned\nmagic-trace: out of memory\n");
}
END_TEST

SUITE_MAIN("base/xalloc", test_zero_sizes_are_memory_too, test_copies, test_requests_are_counted,
	   test_out_of_memory_ends_the_process)
