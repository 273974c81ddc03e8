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

/* As setup, by work, and a branch at 10, before which nothing is known. */
static void setup_work(void)
{
	setup();
	spread_part(&spread, 0);
	spread_by_work(&spread);
	spread_branch(&spread, 10, 1);
}

START_TEST(test_work_ends_at_its_timestamp)
{
	setup_work();
	begin(10, "a");
	spread_branch(&spread, 30, 5);
	begin(30, "b");
	spread_branch(&spread, 30, 3); /* in one function: it takes time all the same */
	spread_branch(&spread, 30, 2);
	end(30, "b");
	spread_branch(&spread, 40, 1);
	end(40, "a");
	spread_flush(&spread, 50);
	/* 20 ns for 10 of work: b after 5, and up to the timestamp */
	ck_assert_str_eq(collect.text, "B 10 a\nB 20 b\nE 30 b\nE 40 a\n");
	teardown();
}
END_TEST

START_TEST(test_where_tracing_stops_and_starts_is_exact)
{
	setup_work();
	begin(10, "a");
	spread_branch(&spread, 20, 1);
	begin(20, "s");
	spread_stop(&spread);
	spread_start(&spread, 1000);
	end(1000, "s");
	/* behind the start, and before the timestamp that comes next */
	spread_branch(&spread, 1000, 1);
	begin(1000, "b");
	spread_branch(&spread, 1010, 1);
	end(1010, "b");
	spread_branch(&spread, 1020, 1);
	spread_flush(&spread, 1030);
	ck_assert_str_eq(collect.text, "B 10 a\nB 20 s\nE 1000 s\nB 1005 b\nE 1010 b\n");
	teardown();
}
END_TEST

START_TEST(test_tracing_that_stops_at_once)
{
	setup_work();
	spread_start(&spread, 20);
	begin(20, "a");
	spread_branch(&spread, 20, 1);
	begin(20, "s");
	spread_stop(&spread);
	spread_start(&spread, 50);
	end(50, "s");
	spread_branch(&spread, 60, 1);
	end(60, "a");
	spread_flush(&spread, 60);
	ck_assert_str_eq(collect.text, "B 20 a\nB 20 s\nE 50 s\nE 60 a\n");
	teardown();
}
END_TEST

START_TEST(test_what_is_last_ends_with_the_part)
{
	setup_work();
	begin(10, "a");
	spread_branch(&spread, 20, 1);
	begin(20, "b");
	spread_start(&spread, 30);
	begin(30, "c");
	spread_branch(&spread, 30, 1);
	end(30, "c");
	spread_flush(&spread, 40);
	spread_part(&spread, 40);
	end(40, "b");
	end(40, "a");
	spread_flush(&spread, 40);
	ck_assert_str_eq(collect.text, "B 10 a\nB 20 b\nB 30 c\nE 40 c\nE 40 b\nE 40 a\n");
	teardown();
}
END_TEST

START_TEST(test_a_stack_opened_by_work_begins_with_its_branch)
{
	struct frame f;

	setup_work();
	f = frame("caller");
	begin(10, "a");
	spread_branch(&spread, 30, 1);
	begin(30, "b");
	spread_branch(&spread, 30, 1);
	spread_open(&spread, 30);
	begin(30, "irq");
	spread_branch(&spread, 50, 1);
	end(50, "irq");
	spread_infer(&spread, 30, &f);
	spread_flush(&spread, 60);
	spread_close(&spread);
	/* not before b, and what is found later encloses irq */
	ck_assert_str_eq(collect_sort(&collect),
			 "B 10 a\nB 20 b\nB 30 caller inf\nB 30 irq\nE 50 irq\n");
	teardown();
}
END_TEST

/* Between 100 and 300; what is last has the timestamp itself. Of 50 ns nobody need know more. */
START_TEST(test_times_that_are_not_sure_say_so)
{
	setup();
	collect.show_doubt = true;
	spread_by_work(&spread);
	spread_branch(&spread, 100, 1);
	begin(100, "a");
	spread_branch(&spread, 300, 40);
	begin(300, "b");
	spread_branch(&spread, 300, 120);
	end(300, "b");
	spread_branch(&spread, 300, 40);
	end(300, "a");
	spread_branch(&spread, 350, 1);
	begin(350, "c");
	spread_branch(&spread, 350, 4);
	end(350, "c");
	spread_flush(&spread, 400);
	ck_assert_str_eq(collect.text, "B 100 a\nB 140 b ~160\nE 260 b ~160\nE 300 a\nB 310 c\n"
				       "E 350 c\n");
	teardown();
}
END_TEST

SUITE_MAIN("stack/spread", test_calls_share_and_returns_take_nothing,
	   test_shares_are_whole_and_fill_the_time, test_more_calls_than_time,
	   test_hidden_frames_take_their_share, test_unknown, test_unknown_with_nothing_in_it,
	   test_unknowns_without_length_lie_before_their_caller,
	   test_a_stack_opened_behind_later_times_begins_with_them, test_reset_drops,
	   test_work_ends_at_its_timestamp, test_times_that_are_not_sure_say_so,
	   test_where_tracing_stops_and_starts_is_exact, test_tracing_that_stops_at_once,
	   test_what_is_last_ends_with_the_part, test_a_stack_opened_by_work_begins_with_its_branch)
