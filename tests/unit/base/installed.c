/* SPDX-License-Identifier: MIT */
#include "base/installed.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "a-file-of-the-test-installed"

static char beside[600], below[600];

/* Where the two places are, seen from this program. */
static void find_places(void)
{
	char own[500], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	ck_assert_int_gt(n, 0);
	own[n] = '\0';
	slash = strrchr(own, '/');
	slash[1] = '\0';
	snprintf(beside, sizeof(beside), "%s" NAME, own);
	snprintf(below, sizeof(below), "%s../lib/magic-trace/" NAME, own);
}

static void put(const char *path)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fclose(f);
}

static void make_directory(const char *file, size_t up)
{
	char path[600];

	strcpy(path, file);
	while (up--)
		*strrchr(path, '/') = '\0';
	mkdir(path, 0755);
}

static void remove_directory(const char *file, size_t up)
{
	char path[600];

	strcpy(path, file);
	while (up--)
		*strrchr(path, '/') = '\0';
	rmdir(path);
}

START_TEST(test_none)
{
	struct err err = ERR_INIT;

	find_places();
	ck_assert_ptr_null(installed_find(NAME, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, NAME));
}
END_TEST

/* What lies beside comes before what is installed. */
START_TEST(test_both)
{
	struct err err = ERR_INIT;
	char *path;

	find_places();
	make_directory(below, 2);
	make_directory(below, 1);
	put(below);
	path = installed_find(NAME, &err);
	ck_assert_msg(path != NULL, "%s", err.msg);
	ck_assert_str_eq(path, below);
	free(path);
	put(beside);
	path = installed_find(NAME, &err);
	ck_assert_str_eq(path, beside);
	free(path);
	unlink(beside);
	unlink(below);
	remove_directory(below, 1);
	remove_directory(below, 2);
}
END_TEST

SUITE_MAIN("installed", test_none, test_both)
