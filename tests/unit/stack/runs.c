/* SPDX-License-Identifier: MIT */
/* main called f, which called itself twice; the last one called g. */
#include "stack/runs.h"

#include "support/suite.h"

#include <stdlib.h>

enum { MAIN = 1, F, G };

static const struct frame before[] = {
	{ .sym = MAIN, .start = 0x1000 },
	{ .sym = F, .start = 0x2000, .from = 0x1004 },
	{ .sym = F, .start = 0x2000, .from = 0x2004 },
	{ .sym = F, .start = 0x2000, .from = 0x2004 },
	{ .sym = G, .start = 0x3000, .from = 0x2010 },
};

static struct runs runs;

static void setup(void)
{
	runs_init(&runs);
	runs_begin(&runs, 5);
}

/* Control is at an offset of a function; whether the longest run ends with that frame, and its
 * frames. */
static void find(uint32_t sym, uint64_t off, bool returned, uint32_t longest, uint32_t frames)
{
	struct location dst = { .addr = sym * 0x1000ull + off, .off = off, .sym = sym };

	runs_find(&runs, before, &dst, returned);
	ck_assert_uint_eq(runs_longest(&runs), longest);
	if (longest)
		ck_assert_uint_eq(runs.frames[longest - 1], frames);
}

START_TEST(test_a_row_of_returns)
{
	setup();
	ck_assert_uint_eq(runs_longest(&runs), 0);
	find(G, 8, false, 5, 1);
	find(F, 0x14, true, 4, 2);
	find(F, 9, true, 3, 3);
	find(F, 9, true, 2, 4);
	find(MAIN, 9, true, 1, 5);
	runs_fini(&runs);
}
END_TEST

/* Any of the three, until it is seen how often it returns: what is certain is the outermost. */
START_TEST(test_of_a_recursion)
{
	setup();
	find(F, 0x30, false, 2, 1);
	ck_assert(!runs_sure(&runs));
	find(F, 9, true, 2, 2);
	ck_assert_uint_eq(runs.frames[2], 2);
	ck_assert_uint_eq(runs.frames[3], 1); /* called in the gap, and back again */
	find(MAIN, 9, true, 1, 3);
	ck_assert(runs_sure(&runs));
	runs_fini(&runs);
}
END_TEST

START_TEST(test_returns_elsewhere)
{
	setup();
	find(G, 8, false, 5, 1);
	find(F, 0x40, true, 2, 1); /* not behind the call of that g */
	find(G + 1, 9, true, 0, 0);
	find(MAIN, 9, true, 1, 1);
	find(MAIN, 0, true, 0, 0); /* called again */
	runs_fini(&runs);
}
END_TEST

START_TEST(test_not_by_a_return)
{
	setup();
	find(G, 8, false, 5, 1);
	find(F, 0x14, false, 2, 1);
	runs_fini(&runs);
}
END_TEST

START_TEST(test_frames_that_are_known_to_lie_between)
{
	setup();
	find(G, 8, false, 5, 1);
	runs_set(&runs, 0, 4);
	ck_assert_uint_eq(runs_longest(&runs), 1);
	ck_assert_uint_eq(runs.frames[0], 5);
	runs_clear(&runs);
	ck_assert_uint_eq(runs_longest(&runs), 0);
	ck_assert(!runs_sure(&runs));
	runs_fini(&runs);
}
END_TEST

START_TEST(test_hidden_and_deep_frames_are_none)
{
	struct frame *deep = calloc(RUNS_MAX + 1, sizeof(*deep));
	struct location dst = { .addr = 0x1008, .off = 8, .sym = MAIN };

	deep[0] = deep[RUNS_MAX] = before[0];
	deep[0].hidden = true;
	runs_init(&runs);
	runs_begin(&runs, RUNS_MAX + 1);
	runs_find(&runs, deep, &dst, false);
	ck_assert_uint_eq(runs_longest(&runs), 0);
	runs_begin(&runs, 0);
	runs_find(&runs, deep, &dst, true);
	ck_assert_uint_eq(runs_longest(&runs), 0);
	runs_fini(&runs);
	free(deep);
}
END_TEST

SUITE_MAIN("stack/runs", test_a_row_of_returns, test_of_a_recursion, test_returns_elsewhere,
	   test_not_by_a_return, test_frames_that_are_known_to_lie_between,
	   test_hidden_and_deep_frames_are_none)
