/* SPDX-License-Identifier: MIT */
#include "stack/sample.h"

#include "support/play.h"
#include "support/suite.h"

#include <stdarg.h>

static void sample(struct play *p, int64_t t, size_t n, ...)
{
	struct event ev = { .kind = EVENT_SAMPLE, .has_time = true, .time = t };
	struct location frames[8];
	va_list ap;
	size_t i;

	va_start(ap, n);
	for (i = 0; i < n; i++)
		frames[i] = play_place(p, va_arg(ap, const char *));
	va_end(ap);
	ev.sample.frames = frames;
	ev.sample.n = n;
	play_event(p, &ev);
}

START_TEST(test_what_is_common_stays)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	sample(&p, 1000, 3, "main+1", "f+1", "g+1");
	sample(&p, 1100, 3, "main+1", "f+9", "h+1");
	sample(&p, 1200, 1, "main+7");
	/* three calls share 100 ns; f moved on but is the same call */
	ck_assert_str_eq(
		play_end_sorted(&p),
		"B 0 main\nB 33 f\nB 66 g\nE 100 g\nB 100 h\nE 200 h\nE 200 f\nE 200 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_a_sample_that_changes_nothing_is_a_timestamp)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	sample(&p, 1000, 2, "main+1", "f+1");
	sample(&p, 1100, 2, "main+1", "f+5");
	sample(&p, 1500, 2, "main+1", "g+1");
	ck_assert_str_eq(play_end_sorted(&p), "B 0 main\nB 50 f\nE 500 f\nB 500 g\nE 500 g\n"
					      "E 500 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_empty_sample_leaves_all)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	sample(&p, 1000, 1, "main+1");
	sample(&p, 1100, 0);
	sample(&p, 1200, 1, "?5");
	sample(&p, 1300, 1, "?6");
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nE 100 main\nB 200 [unknown]\n"
			 "E 300 [unknown]\nB 300 [unknown]\nE 300 [unknown]\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_go_rule_is_not_for_samples)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	sample(&p, 1000, 2, "schedule", "gogo");
	sample(&p, 1100, 2, "schedule", "f");
	ck_assert_str_eq(play_end_sorted(&p), "B 0 schedule\nB 50 gogo\nE 100 gogo\nB 100 f\n"
					      "E 100 f\nE 100 schedule\n");
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/sample", test_what_is_common_stays,
	   test_a_sample_that_changes_nothing_is_a_timestamp, test_empty_sample_leaves_all,
	   test_go_rule_is_not_for_samples)
