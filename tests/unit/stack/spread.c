/* SPDX-License-Identifier: MIT */
#include "stack/spread.h"

#include "support/collect.h"
#include "support/suite.h"

static struct intern *names;
static struct spool_pool *pool;
static struct collect collect;
static struct outlet outlet;
static struct spread spread;

static void setup(void)
{
	struct span_sink sink;

	names = intern_new(0);
	pool = spool_pool_new(1 << 20);
	sink = collect_sink(&collect, names);
	outlet_init(&outlet, &sink, pool);
	spread_init(&spread, &outlet, pool);
	spread_open(&spread, -1); /* the part's own stack: created before all that follows */
}

static void teardown(void)
{
	spread_fini(&spread);
	outlet_fini(&outlet);
	spool_pool_free(pool);
	intern_free(names);
}

static struct frame frame(const char *name)
{
	return (struct frame){ .sym = intern_add(names, str_of(name)) };
}

static void begin(int64_t t, const char *name)
{
	struct frame f = frame(name);

	spread_begin(&spread, t, &f);
}

static void end(int64_t t, const char *name)
{
	struct frame f = frame(name);

	spread_end(&spread, t, &f, 0);
}

START_TEST(test_calls_share_and_returns_take_nothing)
{
	setup();
	begin(10, "a");
	begin(10, "b");
	end(10, "b");
	begin(10, "c");
	end(10, "c");
	end(10, "a");
	begin(40, "d");
	/* 30 ns for three calls */
	ck_assert_str_eq(collect.text, "B 10 a\nB 20 b\nE 30 b\nB 30 c\nE 40 c\nE 40 a\n");
	teardown();
}
END_TEST

START_TEST(test_shares_are_whole_and_fill_the_time)
{
	int i;

	setup();
	for (i = 0; i < 4; i++)
		begin(10, "f");
	/* 6 ns for four: 6/4 = 1, then 5/3 = 1, 4/2 = 2, 2/1 = 2 */
	spread_flush(&spread, 16);
	ck_assert_str_eq(collect.text, "B 10 f\nB 11 f\nB 12 f\nB 14 f\n");
	teardown();
}
END_TEST

START_TEST(test_more_calls_than_time)
{
	setup();
	begin(10, "a");
	begin(10, "b");
	begin(10, "c");
	spread_flush(&spread, 11);
	ck_assert_str_eq(collect.text, "B 10 a\nB 10 b\nB 10 c\n");
	teardown();
}
END_TEST

START_TEST(test_hidden_frames_take_their_share)
{
	struct frame hidden;

	setup();
	hidden = frame("hidden");
	hidden.hidden = true;
	begin(10, "a");
	spread_begin(&spread, 10, &hidden);
	spread_end(&spread, 10, &hidden, 0);
	spread_infer(&spread, 10, &hidden);
	begin(10, "b");
	spread_flush(&spread, 40);
	ck_assert_str_eq(collect.text, "B 10 a\nB 30 b\n");
	teardown();
}
END_TEST

START_TEST(test_unknown)
{
	struct frame caller;
	uint32_t unknown;

	setup();
	caller = frame("caller");
	unknown = intern_add(names, STR("[unknown]"));
	spread_open(&spread, 5);
	begin(5, "f");
	end(8, "f");
	spread_unknown(&spread, 9, 5, unknown, true, false);
	spread_infer(&spread, 5, &caller);
	end(9, "caller");
	spread_close(&spread);
	spread_flush(&spread, 20);
	ck_assert_str_eq(collect_sort(&collect), "B 5 caller inf\nB 5 [unknown]\nB 5 f\nE 8 f\n"
						 "E 9 [unknown]\nE 9 caller\n");
	teardown();
}
END_TEST

START_TEST(test_unknown_with_nothing_in_it)
{
	struct frame caller;
	uint32_t unknown;

	setup();
	caller = frame("caller");
	unknown = intern_add(names, STR("[unknown]"));
	spread_open(&spread, 5);
	spread_unknown(&spread, 9, 5, unknown, false, false);
	spread_infer(&spread, 5, &caller);
	spread_close(&spread);
	spread_flush(&spread, 20);
	ck_assert_str_eq(collect_sort(&collect), "B 5 caller inf\nB 5 [unknown]\nE 9 [unknown]\n");
	teardown();
}
END_TEST

START_TEST(test_unknowns_without_length_lie_before_their_caller)
{
	struct frame caller;
	uint32_t unknown;

	setup();
	caller = frame("caller");
	unknown = intern_add(names, STR("[unknown]"));
	spread_open(&spread, 5);
	spread_unknown(&spread, 5, 5, unknown, false, false);
	spread_infer(&spread, 5, &caller);
	begin(5, "f");
	spread_close(&spread);
	spread_flush(&spread, 20);
	ck_assert_str_eq(collect.text, "X 5-5 [unknown]\nB 5 caller inf\nB 5 f\n");
	teardown();
}
END_TEST

START_TEST(test_a_stack_opened_behind_later_times_begins_with_them)
{
	struct frame caller;

	setup();
	caller = frame("caller");
	begin(10, "a");
	begin(10, "b");
	/* nothing was flushed at 12, and b is given 25 */
	spread_open(&spread, 12);
	begin(40, "c");
	spread_infer(&spread, 12, &caller);
	spread_flush(&spread, 50);
	spread_close(&spread);
	ck_assert_str_eq(collect_sort(&collect), "B 10 a\nB 25 b\nB 25 caller inf\nB 40 c\n");
	teardown();
}
END_TEST

START_TEST(test_reset_drops)
{
	setup();
	begin(10, "a");
	spread_reset(&spread, 30);
	spread_open(&spread, 30);
	begin(31, "b");
	spread_flush(&spread, 32);
	ck_assert_str_eq(collect.text, "B 31 b\n");
	teardown();
}
END_TEST

SUITE_MAIN("stack/spread", test_calls_share_and_returns_take_nothing,
	   test_shares_are_whole_and_fill_the_time, test_more_calls_than_time,
	   test_hidden_frames_take_their_share, test_unknown, test_unknown_with_nothing_in_it,
	   test_unknowns_without_length_lie_before_their_caller,
	   test_a_stack_opened_behind_later_times_begins_with_them, test_reset_drops)
