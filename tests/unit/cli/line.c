/* SPDX-License-Identifier: MIT */
#include "cli/line.h"

#include "support/suite.h"

#include <string.h>

START_TEST(test_pieces)
{
	struct line line = LINE_INIT;

	ck_assert_str_eq(line.s, "");
	line_add(&line, "%s-%d", "a", 1);
	line_add(&line, "%s", "");
	line_add(&line, "!");
	ck_assert_str_eq(line.s, "a-1!");
	ck_assert_uint_eq(line.n, 4);
}
END_TEST

START_TEST(test_full)
{
	struct line line = LINE_INIT;

	for (int i = 0; i < 1000; i++)
		line_add(&line, "%s", "12345678901234567");
	ck_assert_uint_eq(line.n, sizeof(line.s) - 1);
	ck_assert_uint_eq(strlen(line.s), line.n);
}
END_TEST

SUITE_MAIN("line", test_pieces, test_full)
