/* SPDX-License-Identifier: MIT */
#include "cli/nearest.h"

#include "support/suite.h"

#include <string.h>

static const char *const words[] = { "output", "sampling", "symfs", "trace-kernel-only" };

static const char *near(const char *word)
{
	const char *found = nearest(word, words, sizeof(words) / sizeof(*words));

	return found ? found : "";
}

START_TEST(test_one_mistake)
{
	ck_assert_str_eq(near("ouput"), "output");
	ck_assert_str_eq(near("outtput"), "output");
	ck_assert_str_eq(near("outpot"), "output");
	ck_assert_str_eq(near("otuput"), "output");
	ck_assert_str_eq(near("smyfs"), "symfs");
}
END_TEST

START_TEST(test_beginning)
{
	ck_assert_str_eq(near("out"), "output");
	ck_assert_str_eq(near("trace"), "trace-kernel-only");
}
END_TEST

START_TEST(test_nothing_near)
{
	char big[300];

	ck_assert_str_eq(near("zzzzzzzz"), "");
	ck_assert_str_eq(near("q"), "");
	ck_assert_str_eq(near(""), "");
	memset(big, 's', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	ck_assert_str_eq(near(big), "");
	ck_assert_ptr_null(nearest("output", words, 0));
}
END_TEST

SUITE_MAIN("nearest", test_one_mistake, test_beginning, test_nothing_near)
