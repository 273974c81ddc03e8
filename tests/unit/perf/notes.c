/* SPDX-License-Identifier: MIT */
#include "perf/notes.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static unsigned int called;

static void on_first(void *ctx, const struct perf_note *note)
{
	ck_assert_ptr_eq(ctx, &called);
	ck_assert_uint_eq(note->count, 1);
	called++;
}

START_TEST(test_by_reason)
{
	struct notes notes = { .on_first = on_first, .ctx = &called };

	notes_add(&notes, PERF_NOTE_LINE, STR(""), STR("what?"), 3);
	notes_add(&notes, PERF_NOTE_EVENT, STR("dummy"), STR("a dummy"), 4);
	notes_add(&notes, PERF_NOTE_LINE, STR(""), STR("what else?"), 5);
	notes_add(&notes, PERF_NOTE_UNDRAWN, STR("dummy"), STR("x"), 6);
	notes_add(&notes, PERF_NOTE_EVENT, STR("dummy"), STR("again"), 7);
	notes_add(&notes, PERF_NOTE_LONG, STR(""), STR("long"), 8);
	ck_assert_uint_eq(called, 4);
	ck_assert_uint_eq(notes.n, 4);
	ck_assert_uint_eq(notes.lost, 3);
	ck_assert_int_eq(notes.v[0].kind, PERF_NOTE_LINE);
	ck_assert_uint_eq(notes.v[0].count, 2);
	ck_assert_uint_eq(notes.v[0].line, 3);
	ck_assert(str_eq(notes.v[0].first, STR("what?")));
	ck_assert(str_eq(notes.v[0].what, STR("")));
	ck_assert_uint_eq(notes.v[1].count, 2);
	ck_assert(str_eq(notes.v[1].what, STR("dummy")));
	ck_assert(str_eq(notes.v[1].first, STR("a dummy")));
	notes_fini(&notes);
}
END_TEST

START_TEST(test_long_texts_are_cut)
{
	struct notes notes = { 0 };
	char text[2000];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 3; i++)
		notes_add(&notes, PERF_NOTE_EVENT, (struct str){ text, sizeof(text) },
			  (struct str){ text, sizeof(text) }, 1);
	ck_assert_uint_eq(notes.n, 1);
	ck_assert_uint_eq(notes.v[0].count, 3);
	ck_assert_uint_eq(notes.v[0].first.n, NOTES_SHOWN);
	notes_fini(&notes);
}
END_TEST

/* A text that names a new event on each line does not grow the list for ever. */
START_TEST(test_many_names)
{
	struct notes notes = { 0 };
	uint64_t events = 0;
	char name[32];

	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof(name), "event%d", i / 2);
		notes_add(&notes, i % 2 ? PERF_NOTE_EVENT : PERF_NOTE_UNDRAWN, str_of(name),
			  STR("x"), 1);
	}
	notes_add(&notes, PERF_NOTE_LINE, STR(""), STR("x"), 1);
	notes_add(&notes, PERF_NOTE_LONG, STR(""), STR("x"), 1);
	notes_add(&notes, PERF_NOTE_MESSAGE, STR(""), STR("x"), 1);
	ck_assert_uint_le(notes.n, NOTES_MAX);
	for (size_t i = 0; i < notes.n; i++)
		events += notes.v[i].count;
	ck_assert_uint_eq(events, 100003);
	ck_assert_int_eq(notes.v[notes.n - 1].kind, PERF_NOTE_MESSAGE);
	notes_fini(&notes);
}
END_TEST

SUITE_MAIN("notes", test_by_reason, test_long_texts_are_cut, test_many_names)
