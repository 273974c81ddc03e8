/* SPDX-License-Identifier: MIT */
#include "cli/summary.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

START_TEST(test_nothing_lost)
{
	struct stacks_stats stacks = { .threads = 1, .first = 1000, .last = 3500 };
	struct trace_stats trace = { .begins = 1234567, .file_bytes = 1500000 };
	struct perf_text_stats text = { .lines = 5 };
	struct tally errors = { 0 };
	struct intern *names = intern_new(0);
	struct summary summary = { "t.fxt.gz", NULL, &stacks, &trace, &text, &errors, names };
	struct line line = LINE_INIT;

	summary_line(&line, &summary);
	ck_assert_str_eq(line.s, "Traced 1 thread, 2.500 us, 1,234,567 calls; 0 decode errors; "
				 "0 lines not understood; t.fxt.gz has 1.5 MB");
	intern_free(names);
}
END_TEST

START_TEST(test_time_that_is_virtual)
{
	struct stacks_stats stacks = { .threads = 1, .last = 1500 };
	struct trace_stats trace = { .begins = 2, .file_bytes = 10 };
	struct perf_text_stats text = { 0 };
	struct tally errors = { 0 };
	struct intern *names = intern_new(0);
	struct summary summary = {
		"t.fxt", "virtual time", &stacks, &trace, &text, &errors, names
	};
	struct line line = LINE_INIT;

	summary_line(&line, &summary);
	ck_assert_str_eq(line.s,
			 "Traced 1 thread, 1.500 us of virtual time, 2 calls; 0 decode errors; "
			 "0 lines not understood; t.fxt has 10 bytes");
	intern_free(names);
}
END_TEST

START_TEST(test_everything_lost)
{
	struct stacks_stats stacks = {
		.threads = 3,
		.regions = 2,
		.hidden = 1,
		.clamped = 2,
		.out_of_scope = 3,
		.tx_aborted = 4,
		.tx_lost = 5,
		.bad_poptraps = 6,
		.overflowed = 7,
	};
	struct trace_stats trace = { .begins = 1, .cut_names = 8, .bad_utf8 = 9 };
	struct perf_text_stats text = { .lost = 1 };
	struct tally errors = { 0 };
	struct intern *names = intern_new(0);
	struct summary summary = { "t.fxt", NULL, &stacks, &trace, &text, &errors, names };
	struct line line = LINE_INIT;

	for (int i = 0; i < 3; i++)
		tally_add(&errors, intern_add(names, STR("Lost trace data")));
	for (int i = 0; i < 1150; i++)
		tally_add(&errors, intern_add(names, STR("Overflow packet")));
	tally_sort(&errors);
	summary_line(&line, &summary);
	ck_assert_str_eq(line.s,
			 "Traced 3 threads, 0 ns, 1 call in 2 regions of the filter; "
			 "1,153 decode errors: 1150 × Overflow packet, 3 × Lost trace data; "
			 "1 line not understood; 1 frame hidden by -max-depth; "
			 "2 times that ran backwards; 3 branches outside the scope; "
			 "4 events of aborted transactions; "
			 "5 events of transactions with decode errors; "
			 "6 OCaml handlers removed but never installed; "
			 "7 stacks given up as endless; 8 names cut; 9 names that are not UTF-8; "
			 "t.fxt has 0 bytes");
	intern_free(names);
}
END_TEST

START_TEST(test_many_kinds_of_errors)
{
	struct stacks_stats stacks = { 0 };
	struct trace_stats trace = { 0 };
	struct perf_text_stats text = { 0 };
	struct tally errors = { 0 };
	struct intern *names = intern_new(0);
	struct summary summary = { "t.fxt", NULL, &stacks, &trace, &text, &errors, names };
	struct line line = LINE_INIT;
	char message[20];

	for (int i = 0; i < 100; i++) {
		snprintf(message, sizeof(message), "Error %d", i);
		tally_add(&errors, intern_add(names, str_of(message)));
	}
	tally_sort(&errors);
	summary_line(&line, &summary);
	ck_assert_ptr_nonnull(strstr(line.s, "; 100 decode errors: 68 × other messages, "
					     "1 × Error 0, "));
	ck_assert_ptr_nonnull(strstr(line.s, "1 × Error 6, 25 × others; "));
	intern_free(names);
}
END_TEST

START_TEST(test_notes)
{
	static const struct perf_note notes[] = {
		{ PERF_NOTE_LINE, STR(""), STR("garbage"), 3, 17 },
		{ PERF_NOTE_EVENT, STR("foo"), STR(" foo: x"), 4, 1 },
		{ PERF_NOTE_UNDRAWN, STR("mwait"), STR(" mwait: y"), 5, 120 },
		{ PERF_NOTE_LONG, STR(""), STR("zzz"), 6, 2 },
		{ PERF_NOTE_MESSAGE, STR(""), STR("Warning: w"), 7, 5 },
		{ PERF_NOTE_DEEP, STR(""), STR("\t 1 f"), 70000, 3 },
	};
	static const char *const firsts[] = {
		"line 3 is not understood: garbage",
		"event 'foo' is not known and left out, first in line 4:  foo: x",
		"events 'mwait' are not drawn, first in line 5:  mwait: y",
		"line 6 is longer than 1048576 bytes and left out: zzz",
		"perf says in line 7: Warning: w",
		"a stack deeper than 65,536 frames is cut at line 70000: \t 1 f",
	};
	struct line all = LINE_INIT;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		struct line line = LINE_INIT;

		summary_note(&line, &notes[i]);
		ck_assert_str_eq(line.s, firsts[i]);
	}
	summary_notes(&all, notes, sizeof(notes) / sizeof(*notes));
	ck_assert_str_eq(all.s, "17 × lines of no known form, 1 × foo, 120 × mwait, "
				"2 × lines that are too long, 5 × messages of perf, "
				"3 × outer ends of stacks that are too deep");
}
END_TEST

START_TEST(test_many_notes)
{
	struct perf_note notes[20];
	struct line line = LINE_INIT, one = LINE_INIT, none = LINE_INIT;

	for (size_t i = 0; i < 20; i++)
		notes[i] = (struct perf_note){ PERF_NOTE_EVENT, STR("e"), STR(""), i + 1, i + 1 };
	summary_notes(&line, notes, 20);
	ck_assert_str_eq(line.s, "1 × e, 2 × e, 3 × e, 4 × e, 5 × e, 6 × e, 7 × e, 8 × e, "
				 "12 other kinds");
	summary_notes(&one, notes, 9);
	ck_assert_ptr_nonnull(strstr(one.s, "8 × e, 1 other kind"));
	ck_assert_ptr_null(strstr(one.s, "kinds"));
	summary_notes(&none, notes, 8);
	ck_assert_ptr_null(strstr(none.s, "other"));
}
END_TEST

START_TEST(test_hints)
{
	ck_assert_ptr_nonnull(strstr(summary_error_hint(STR("Overflow packet"), false), "coarser"));
	ck_assert_ptr_nonnull(strstr(
		summary_error_hint(STR("Never-ending loop (refer perf config intel-pt.max-loops)"),
				   false),
		"max-loops"));
	ck_assert_ptr_nonnull(
		strstr(summary_error_hint(STR("Failed to get instruction"), false), "kcore"));
	/* what -software records has no kernel, but code that programs make */
	ck_assert_ptr_nonnull(
		strstr(summary_error_hint(STR("Failed to get instruction"), true), "JIT"));
	ck_assert_ptr_nonnull(strstr(summary_error_hint(STR("Overflow packet"), true), "coarser"));
	ck_assert_ptr_null(summary_error_hint(STR("Bad packet"), false));
	ck_assert_ptr_null(summary_error_hint(STR(""), false));
}
END_TEST

SUITE_MAIN("summary", test_nothing_lost, test_time_that_is_virtual, test_everything_lost,
	   test_many_kinds_of_errors, test_notes, test_many_notes, test_hints)
