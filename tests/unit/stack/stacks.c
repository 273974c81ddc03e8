/* SPDX-License-Identifier: MIT */
/* Whole streams of events; each rule by itself is in the tests of its module. */
#include "stack/stacks.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_calls_and_returns)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "f");
	play_return(&p, 1030, "main+5");
	play_call(&p, 1040, "g");
	/* the first timestamp is time 0; what was open ends at the last event */
	ck_assert_str_eq(play_end(&p), "B 10 f\nE 30 f\n"
				       "B 0 main\nB 40 g\nE 40 g\nE 40 main\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->threads, 1);
	ck_assert_uint_eq(stacks_stats(p.stacks)->calls, 3);
	play_fini(&p);
}
END_TEST

START_TEST(test_error_ends_a_part)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "f");
	play_error(&p, 1020, "Overflow packet");
	play_return(&p, 1020, "main+5");
	play_error(&p, -1, "Lost trace data");
	/*
	 * Behind the error, an event at its time is moved 1 ns on; an error without a time comes
	 * at the thread's last event, moved as well.
	 */
	ck_assert_str_eq(play_end(&p),
			 "X 20-20 [decode error: Overflow packet]\n"
			 "B 0 main\nB 10 f\nE 20 f\nE 20 main\n"
			 "X 21-21 [decode error: Lost trace data]\n"
			 "B 20 main inf\nB 20 [unknown]\nE 21 [unknown]\nE 21 main\n");
	play_fini(&p);
}
END_TEST

/* The base is told once, before anything goes to the sink. */
static void note_base(void *ctx, int64_t base)
{
	struct play *p = ctx;

	ck_assert_uint_eq(p->collect.used, 0);
	ck_assert_uint_eq(p->collect.n_tracks, 0);
	ck_assert_int_eq(base, 5000);
	p->in_tx = true; /* seen */
}

START_TEST(test_base_is_the_first_event_with_a_time)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.base = note_base;
	p.config.ctx = &p;
	play_error(&p, -1, "Lost trace data");
	p.tid = 8;
	play_call(&p, 5000, "main");
	ck_assert_str_eq(play_end(&p), "X 0-0 [decode error: Lost trace data]\n"
				       "B 0 main t1\nE 0 main t1\n");
	ck_assert(p.in_tx);
	play_fini(&p);
}
END_TEST

/* A part of a trace has the times of the whole; a thread that begins later does so 1 ns late. */
START_TEST(test_part)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.has_begin = true;
	p.config.begin = 1000;
	play_call(&p, 5000, "main");
	play_call(&p, 5002, "f");
	play_return(&p, 5004, "main+1");
	ck_assert_str_eq(play_end(&p), "B 4001 main\nB 4002 f\nE 4004 f\nE 4004 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_errors_without_a_time_alone)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_error(&p, -1, "Lost trace data");
	play_error(&p, -1, "Lost trace data");
	ck_assert_str_eq(play_end(&p), "X 0-0 [decode error: Lost trace data]\n"
				       "X 0-0 [decode error: Lost trace data]\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_many_threads_and_regions)
{
	struct play p;
	int i;

	play_init(&p, SCOPE_USER);
	p.config.filter_start = STR("start");
	p.config.filter_stop = STR("stop");
	p.tid = 8; /* has frames, then is idle while regions come and go */
	play_call(&p, 1000, "idle");
	p.tid = 7;
	for (i = 0; i < 3; i++) {
		play_call(&p, 1010 + 20 * i, "start");
		play_call(&p, 1015 + 20 * i, "stop");
	}
	play_call(&p, 1100, "start");
	p.tid = 8;
	play_return(&p, 1110, "caller+4");
	p.tid = 7;
	play_call(&p, 1120, "stop");
	/* thread 8 was ended with the first region: what it returned from is not known */
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 11 idle inf\nE 11 idle\nB 11 start t1\nE 15 start t1\n"
			 "B 30 stop inf t1\nB 30 start t1\nE 35 start t1\nE 35 stop t1\n"
			 "B 50 stop inf t1\nB 50 start t1\nE 55 start t1\nE 55 stop t1\n"
			 "B 99 caller inf\nB 99 [unknown]\n"
			 "B 100 stop inf t1\nB 100 start t1\n"
			 "E 110 [unknown]\nE 110 caller\nE 120 start t1\nE 120 stop t1\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_hits_come_first_and_set_the_base)
{
	struct play p;
	struct trigger_hit hits[3];

	play_init(&p, SCOPE_USER);
	hits[0] = (struct trigger_hit){ .time = 950, .passed = 0 };
	hits[1] = (struct trigger_hit){ .time = 990, .passed = 960 };
	hits[2] = (struct trigger_hit){ .time = 990, .passed = 960 };
	hits[0].symbol = hits[1].symbol = intern_add(p.names, STR("magic_trace_stop_indicator"));
	hits[2].symbol = intern_add(p.names, STR("f"));
	p.config.hits = hits;
	p.config.n_hits = 3;
	play_call(&p, 1000, "main");
	play_call(&p, 1001, "f");
	ck_assert_str_eq(play_end(&p), "H 0-0 magic_trace_stop_indicator passed -950 arg t0\n"
				       "H 10-40 magic_trace_stop_indicator passed 10 arg t0\n"
				       "H 40-40 f passed 10 t0\n"
				       "B 51 main t1\nB 51 f t1\nE 51 f t1\nE 51 main t1\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_time_that_steps_back_is_clamped_and_counted)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference_times = true;
	play_call(&p, 1000, "main");
	play_call(&p, 1100, "f");
	play_return(&p, 1050, "main+5");
	play_call(&p, 1200, "g");
	ck_assert_str_eq(play_end(&p), "B 100 f\nE 200 f\n"
				       "B 0 main\nB 200 g\nE 200 g\nE 200 main\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->clamped, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_transactions)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	p.in_tx = true;
	play_call(&p, 1010, "undone");
	play_branch(&p, 1020, TRACE_ON, BRANCH_TX_ABRT, "undone+1", "main+9");
	play_call(&p, 1030, "done");
	p.tid = 8; /* another thread's events do not matter */
	p.in_tx = false;
	play_call(&p, 1035, "other");
	p.tid = 7;
	play_return(&p, 1040, "main+20");
	p.in_tx = true;
	play_call(&p, 1050, "at_the_end");
	ck_assert_str_eq(play_end(&p), "B 30 done\nE 40 done\n"
				       "B 0 main\nB 50 at_the_end\nE 50 at_the_end\nE 50 main\n"
				       "B 36 other t1\nE 36 other t1\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->tx_aborted, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_transaction_with_an_error_is_lost)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	p.in_tx = true;
	play_call(&p, 1010, "f");
	play_error(&p, 1020, "Overflow packet");
	ck_assert_str_eq(play_end(&p), "X 20-20 [decode error: Overflow packet]\n"
				       "B 0 main\nE 20 main\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->tx_lost, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_filter)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.filter_start = STR("start");
	p.config.filter_stop = STR("stop");
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "start");
	play_call(&p, 1020, "start"); /* the first of two counts */
	play_return(&p, 1030, "start+5");
	play_call(&p, 1040, "stop");
	play_return(&p, 1050, "start+9");
	play_return(&p, 1060, "main+9");
	play_call(&p, 1070, "start"); /* never stops */
	ck_assert_str_eq(play_end(&p), "B 10 main inf\nB 10 start\nB 20 start\nE 30 start\n"
				       "E 40 start\nE 40 main\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->regions, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_filter_frames_found_in_the_region_begin_before_it)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.filter_start = STR("start");
	p.config.filter_stop = STR("stop");
	play_call(&p, 1000, "f");
	play_call(&p, 1010, "start");
	play_return(&p, 1020, "f+8");
	play_return(&p, 1030, "main+8");
	play_call(&p, 1040, "stop");
	ck_assert_str_eq(play_end(&p), "B 10 f inf\nB 10 start\nE 20 start\n"
				       "B 9 main inf\nE 30 f\nE 40 main\n");
	play_fini(&p);
}
END_TEST

/* An error begins the thread, and the region: nothing can be said to have begun before it. */
START_TEST(test_filter_that_begins_with_an_error)
{
	struct play p;

	play_init(&p, SCOPE_USER_AND_KERNEL);
	p.config.filter_start = STR("start");
	p.config.filter_stop = STR("stop");
	p.tid = 8;
	play_error(&p, 1000, "Overflow packet");
	p.tid = 7;
	play_error(&p, 1010, "Overflow packet");
	play_call(&p, 1010, "start");
	play_return(&p, 1010, "inner+8");
	play_branch(&p, 1010, TRACE_ON, BRANCH_SYSRET, "", "outer+8");
	play_call(&p, 1010, "stop");
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 10 outer inf t1\nB 10 inner inf t1\nB 11 start t1\nE 11 start t1\n"
			 "E 11 inner t1\nE 11 outer t1\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_filter_that_begins_at_the_first_event)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.filter_start = STR("start");
	p.config.filter_stop = STR("stop");
	play_call(&p, 1000, "start");
	play_call(&p, 1010, "stop");
	play_call(&p, 1020, "start");
	stacks_next_file(p.stacks);
	play_call(&p, 1030, "stop"); /* of another file: ends nothing */
	ck_assert_str_eq(play_end(&p), "B 0 start\nE 10 start\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_several_files)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference_times = true;
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "f");
	stacks_next_file(p.stacks);
	play_return(&p, 2000, "main+5");
	play_call(&p, 2010, "g");
	ck_assert_str_eq(play_end(&p), "B 0 main\nB 10 f\nE 10 f\nE 10 main\nE 1001 [unknown]\n"
				       "B 1000 main inf\nB 1000 [unknown]\n"
				       "B 1010 g\nE 1010 g\nE 1010 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_a_record_before_the_first_branch_moves_nothing)
{
	struct play p;
	struct event cbr = { .kind = EVENT_CBR, .has_time = true, .time = 1000 };

	play_init(&p, SCOPE_USER);
	p.stacks = stacks_new(&p.config);
	stacks_next_file(p.stacks);
	play_event(&p, &cbr);
	play_branch(&p, 1010, TRACE_START, BRANCH_NONE, "", "main");
	play_call(&p, 1020, "f");
	ck_assert_str_eq(play_end_sorted(&p), "C 0 0\nB 10 main\nB 20 f\nE 20 f\nE 20 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_deep_recursion_is_capped)
{
	struct play p;
	int i;

	play_init(&p, SCOPE_USER);
	p.config.max_depth = 3;
	play_call(&p, 1000, "main");
	for (i = 1; i <= 4; i++)
		play_call(&p, 1000 + i, "rec");
	for (i = 1; i <= 4; i++)
		play_return(&p, 1010 + i, i < 4 ? "rec+9" : "main+9");
	ck_assert_str_eq(play_end(&p), "B 1 rec\nB 2 rec\nE 13 rec +2\n"
				       "B 0 main\nE 14 rec\nE 14 main\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->hidden, 2);
	play_fini(&p);
}
END_TEST

START_TEST(test_frames_found_around_a_deep_stack_are_capped)
{
	struct play p;
	const char *text;

	play_init(&p, SCOPE_USER);
	p.config.max_depth = 2;
	play_jump(&p, 1000, "c+4");
	play_return(&p, 1010, "b+4");
	play_return(&p, 1020, "a+4");
	play_call(&p, 1030, "d");
	play_return(&p, 1040, "a+8");
	text = play_end(&p);
	/* a cannot be shown: two slices are open already where it begins */
	ck_assert_str_eq(text, "E 10 c\nE 20 b\nB 30 d\n"
			       "B 0 b inf\nB 0 c inf\nE 40 d\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->hidden, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_direct_records)
{
	struct play p;
	struct event cbr = { .kind = EVENT_CBR, .has_time = true, .time = 1000 };
	struct event extra = { .kind = EVENT_EXTRA, .has_time = true, .time = 1005 };
	struct event ptw = { .kind = EVENT_PTWRITE, .has_time = true, .time = 1006 };

	play_init(&p, SCOPE_USER);
	cbr.cbr.mhz = 800;
	play_event(&p, &cbr);
	extra.extra.name = intern_add(p.names, STR("branch-misses"));
	extra.extra.count = 50;
	extra.extra.place = play_place(&p, "f+3");
	play_event(&p, &extra);
	ptw.ptwrite.payload = 42;
	play_event(&p, &ptw);
	ck_assert_str_eq(play_end(&p), "C 0 800\nS 5 50 f t1\nP 6 42\n");
	ck_assert_int_eq(p.collect.tracks[1].kind, TRACK_EXTRA);
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/stacks", test_calls_and_returns, test_error_ends_a_part,
	   test_base_is_the_first_event_with_a_time, test_part, test_errors_without_a_time_alone,
	   test_many_threads_and_regions, test_hits_come_first_and_set_the_base,
	   test_time_that_steps_back_is_clamped_and_counted, test_transactions,
	   test_transaction_with_an_error_is_lost, test_filter,
	   test_filter_frames_found_in_the_region_begin_before_it,
	   test_filter_that_begins_with_an_error, test_filter_that_begins_at_the_first_event,
	   test_several_files, test_a_record_before_the_first_branch_moves_nothing,
	   test_deep_recursion_is_capped, test_frames_found_around_a_deep_stack_are_capped,
	   test_direct_records)
