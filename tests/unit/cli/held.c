/* SPDX-License-Identifier: MIT */
#include "cli/held.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static char said[4096];

static void say(void *ctx, struct str line)
{
	ck_assert_ptr_eq(ctx, said);
	strncat(said, line.p, line.n);
	strcat(said, "|");
}

START_TEST(test_said_in_order)
{
	struct held held = { .say = say, .ctx = said };

	held_add(&held, STR("one"));
	held_add(&held, STR(""));
	held_add(&held, STR("three"));
	ck_assert_str_eq(said, "");
	held_say(&held);
	ck_assert_str_eq(said, "one||three|");
	held_say(&held);
	ck_assert_str_eq(said, "one||three|");
}
END_TEST

START_TEST(test_dropped)
{
	struct held held = { .say = say, .ctx = said };

	held_add(&held, STR("one"));
	held_drop(&held);
	held_say(&held);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Too many to be kept back are said, in order. */
START_TEST(test_many)
{
	struct held held = { .say = say, .ctx = said };
	char want[4096] = "", line[20];

	for (int i = 0; i <= HELD_MAX; i++) {
		ck_assert_str_eq(said, "");
		snprintf(line, sizeof(line), "%d", i);
		held_add(&held, str_of(line));
		strcat(strcat(want, line), "|");
	}
	ck_assert_str_eq(said, want);
	held_drop(&held);
}
END_TEST

SUITE_MAIN("held", test_said_in_order, test_dropped, test_many)
