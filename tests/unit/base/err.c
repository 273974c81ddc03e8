/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include "support/suite.h"

#include <errno.h>
#include <string.h>

START_TEST(test_message_and_hint)
{
	struct err err = ERR_INIT;

	ck_assert_int_eq(err_set(&err, "cannot open %s", "x"), -1);
	ck_assert_int_eq(err_hint(&err, "try %d", 2), -1);
	ck_assert_str_eq(err.msg, "cannot open x");
	ck_assert_str_eq(err.hint, "try 2");
	err_set(&err, "other");
	ck_assert_str_eq(err.hint, "");
}
END_TEST

START_TEST(test_errno_is_that_of_the_call)
{
	struct err err;

	errno = ENOENT;
	err_errno(&err, "cannot open %s", "x");
	ck_assert_str_eq(err.msg, "cannot open x: No such file or directory");
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(test_prefix)
{
	struct err err;

	err_set(&err, "no such symbol");
	err_prefix(&err, "%s", "prog");
	ck_assert_str_eq(err.msg, "prog: no such symbol");
}
END_TEST

START_TEST(test_long_text_is_cut)
{
	struct err err;
	char big[5000];

	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	err_set(&err, "%s", big);
	ck_assert_uint_eq(strlen(err.msg), sizeof(err.msg) - 1);
	err_prefix(&err, "%s", big);
	err_errno(&err, "%s", big);
	err_hint(&err, "%s", big);
	ck_assert_uint_eq(strlen(err.hint), sizeof(err.hint) - 1);
}
END_TEST

START_TEST(test_nowhere_to_put_it)
{
	ck_assert_int_eq(err_set(NULL, "x"), -1);
	ck_assert_int_eq(err_errno(NULL, "x"), -1);
	ck_assert_int_eq(err_hint(NULL, "x"), -1);
	ck_assert_int_eq(err_prefix(NULL, "x"), -1);
}
END_TEST

SUITE_MAIN("base/err", test_message_and_hint, test_errno_is_that_of_the_call, test_prefix,
	   test_long_text_is_cut, test_nowhere_to_put_it)
