/* SPDX-License-Identifier: MIT */
/* How hits are drawn is tested with the stacks (tests/unit/stack/stacks.c). */
#include "stack/hits.h"

#include "support/collect.h"
#include "support/suite.h"

START_TEST(test_first)
{
	struct trigger_hit hits[] = { { .time = 30 }, { .time = 10 }, { .time = 20 } };

	ck_assert_int_eq(hits_first(hits, 3), 10);
	ck_assert_int_eq(hits_first(NULL, 0), INT64_MAX);
}
END_TEST

START_TEST(test_passed_time_must_lie_before_the_hit_and_not_before_the_base)
{
	struct intern *names = intern_new(0);
	static struct collect collect;
	struct span_sink sink = collect_sink(&collect, names);
	uint32_t stop = intern_add(names, STR("magic_trace_stop_indicator"));
	struct trigger_hit hits[] = {
		{ .time = 100, .passed = 100, .symbol = stop },
		{ .time = 100, .passed = 101, .symbol = stop },
		{ .time = 100, .passed = 49, .symbol = stop },
		{ .time = 100, .passed = 50, .symbol = stop },
	};

	hits_write(hits, 4, 50, names, &sink);
	ck_assert_str_eq(collect.text, "H 50-50 magic_trace_stop_indicator passed 50 arg t0\n"
				       "H 50-50 magic_trace_stop_indicator passed 51 arg t0\n"
				       "H 50-50 magic_trace_stop_indicator passed -1 arg t0\n"
				       "H 0-50 magic_trace_stop_indicator passed 0 arg t0\n");
	ck_assert_int_eq(collect.tracks[0].kind, TRACK_HITS);
	collect_clear(&collect);
	hits_write(NULL, 0, 50, names, &sink);
	ck_assert_uint_eq(collect.n_tracks, 1);
	intern_free(names);
}
END_TEST

SUITE_MAIN("stack/hits", test_first,
	   test_passed_time_must_lie_before_the_hit_and_not_before_the_base)
