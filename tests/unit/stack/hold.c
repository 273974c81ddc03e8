/* SPDX-License-Identifier: MIT */
#include "stack/hold.h"

#include "support/collect.h"
#include "support/suite.h"

static struct intern *names;
static struct spool_pool *pool;
static struct collect collect;
static struct outlet outlet;
static struct hold hold;

static void setup(void)
{
	struct span_sink sink;

	names = intern_new(0);
	pool = spool_pool_new(4096);
	sink = collect_sink(&collect, names);
	outlet_init(&outlet, &sink, pool);
	hold_init(&hold, &outlet, pool);
}

static void teardown(void)
{
	hold_fini(&hold);
	outlet_fini(&outlet);
	spool_pool_free(pool);
	intern_free(names);
}

static struct span begin(int64_t t, const char *name)
{
	return (struct span){ .kind = SPAN_BEGIN,
			      .time = t,
			      .name = intern_add(names, str_of(name)) };
}

static void put(int64_t t, const char *name)
{
	struct span s = begin(t, name);

	hold_put(&hold, &s);
}

static void front(int64_t t, const char *name)
{
	struct span s = begin(t, name);

	hold_front(&hold, &s);
}

START_TEST(test_only_its_own_time_waits)
{
	setup();
	hold_open(&hold, 5);
	put(5, "a");
	put(6, "b");
	ck_assert_str_eq(collect.text, "B 6 b\n");
	front(5, "caller");
	front(5, "main");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 6 b\nB 5 main\nB 5 caller\nB 5 a\n");
	teardown();
}
END_TEST

START_TEST(test_nested_of_the_same_time_waits_with_the_outer)
{
	setup();
	hold_open(&hold, 5);
	put(5, "user");
	hold_open(&hold, 5);
	put(5, "kernel");
	front(5, "entry");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "");
	front(5, "main");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 5 main\nB 5 user\nB 5 entry\nB 5 kernel\n");
	teardown();
}
END_TEST

START_TEST(test_the_outermost_are_dropped)
{
	setup();
	hold_open(&hold, 5);
	put(5, "user");
	hold_open(&hold, 6);
	put(6, "a");
	front(6, "caller");
	front(6, "main");
	hold_drop(&hold, 1);
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 6 caller\nB 6 a\n");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 6 caller\nB 6 a\nB 5 user\n");
	teardown();
}
END_TEST

START_TEST(test_dropped_in_a_larger_nested_group)
{
	setup();
	hold_open(&hold, 5);
	put(5, "user");
	hold_open(&hold, 5);
	put(5, "a");
	front(5, "caller");
	front(5, "main");
	hold_drop(&hold, 3);
	hold_close(&hold);
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 5 user\nB 5 a\n");
	teardown();
}
END_TEST

START_TEST(test_a_larger_nested_group_takes_in_the_smaller_one)
{
	setup();
	hold_open(&hold, 5);
	put(5, "user");
	front(5, "main");
	hold_open(&hold, 5);
	put(5, "kernel");
	put(5, "deeper");
	put(5, "deepest");
	front(5, "entry");
	hold_close(&hold);
	put(5, "last");
	front(5, "start");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 5 start\nB 5 main\nB 5 user\nB 5 entry\nB 5 kernel\n"
				       "B 5 deeper\nB 5 deepest\nB 5 last\n");
	teardown();
}
END_TEST

START_TEST(test_put_around_stands_before_what_waits)
{
	struct span span = { .kind = SPAN_END, .time = 5 };

	setup();
	span.name = intern_add(names, STR("old"));
	hold_open(&hold, 3);
	hold_open(&hold, 5);
	put(5, "new");
	hold_put_around(&hold, 1, &span);
	ck_assert_str_eq(collect.text, "E 5 old\n");
	/* behind what waits in a group around it that has this time */
	put(3, "x");
	hold_close(&hold);
	span.time = 3;
	hold_put_around(&hold, 1, &span);
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "E 5 old\nB 3 x\nB 5 new\nE 3 old\n");
	teardown();
}
END_TEST

START_TEST(test_nested_of_a_later_time_is_written_at_its_end)
{
	setup();
	hold_open(&hold, 5);
	hold_open(&hold, 8);
	put(8, "kernel");
	front(8, "entry");
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "B 8 entry\nB 8 kernel\n");
	hold_close(&hold);
	teardown();
}
END_TEST

START_TEST(test_muted_and_reset_drop)
{
	setup();
	hold_open(&hold, 5);
	put(5, "a");
	hold_reset(&hold);
	ck_assert_uint_eq(hold.n, 0);
	hold_open(&hold, 5);
	outlet.muted = true;
	put(5, "a");
	put(6, "b");
	front(5, "c");
	outlet.muted = false;
	hold_close(&hold);
	ck_assert_str_eq(collect.text, "");
	teardown();
}
END_TEST

START_TEST(test_many_spill)
{
	int i;

	setup();
	hold_open(&hold, 5);
	for (i = 0; i < 5000; i++)
		front(5, i ? "x" : "inner");
	hold_open(&hold, 5);
	for (i = 0; i < 5000; i++)
		put(5, "y");
	hold_close(&hold);
	collect_clear(&collect);
	hold_close(&hold);
	ck_assert_int_eq(spool_pool_error(pool, NULL), 0);
	/* "B 5 x\n" 4,999 times, then the innermost; the rest does not fit the text */
	ck_assert_int_eq(strncmp(collect.text + 4999 * 6, "B 5 inner\nB 5 y\n", 16), 0);
	teardown();
}
END_TEST

SUITE_MAIN("stack/hold", test_only_its_own_time_waits,
	   test_nested_of_the_same_time_waits_with_the_outer, test_the_outermost_are_dropped,
	   test_dropped_in_a_larger_nested_group,
	   test_a_larger_nested_group_takes_in_the_smaller_one,
	   test_put_around_stands_before_what_waits,
	   test_nested_of_a_later_time_is_written_at_its_end, test_muted_and_reset_drop,
	   test_many_spill)
