/* SPDX-License-Identifier: MIT */
#include "symbol/worth.h"

#include "support/suite.h"

#include <string.h>

static uint32_t worth(const char *name)
{
	return worth_of_name(name, strlen(name));
}

START_TEST(test_order)
{
	char longest[70000];

	ck_assert_uint_gt(worth("malloc"), worth("__libc_malloc"));
	ck_assert_uint_gt(worth("_exit_now"), worth("__exit_now"));
	ck_assert_uint_gt(worth("memcpy_fast"), worth("memcpy"));
	ck_assert_uint_gt(worth("a"), worth(""));
	memset(longest, '_', sizeof(longest));
	ck_assert_uint_lt(worth_of_name(longest, sizeof(longest)), WORTH_GLOBAL);
	memset(longest, 'a', sizeof(longest));
	ck_assert_uint_lt(worth_of_name(longest, sizeof(longest)), WORTH_GLOBAL);
	ck_assert_uint_gt(worth_of_name(longest, sizeof(longest)), worth("memcpy_fast"));
}
END_TEST

SUITE_MAIN("symbol/worth", test_order)
