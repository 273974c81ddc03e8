/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include "support/suite.h"

#include <stdio.h>

static struct trace_options options;
static struct source *source;
static unsigned asked;

/* Even addresses are functions: of file "dir/f<addr / 10>.c", line addr, column addr % 7. */
static bool answer(void *ctx, const struct source_place *place, struct source_line *out)
{
	static char file[64];
	uint64_t start = place->addr;

	asked += ctx == &options;
	if (start % 2)
		return false;
	out->file.p = file;
	out->file.n =
		(size_t)snprintf(file, sizeof(file), "dir/f%llu.c", (unsigned long long)start / 10);
	out->line = (uint32_t)start;
	out->col = (uint32_t)(start % 7);
	return true;
}

static void begin(void)
{
	options = (struct trace_options){ .source = answer, .ctx = &options };
	source = source_new(&options);
	asked = 0;
}

static bool right(uint64_t start)
{
	const struct source_entry *e = source_find(source, &(struct source_place){ .addr = start });
	struct str file = intern_str(source_files(source), e->file);
	char want[64];

	if (start % 2)
		return e->place.addr == start && e->file == INTERN_NONE;
	snprintf(want, sizeof(want), "dir/f%llu.c", (unsigned long long)start / 10);
	return e->place.addr == start && str_eq(file, str_of(want)) && e->line == (uint32_t)start &&
	       e->col == start % 7;
}

START_TEST(test_each_is_asked_for_once)
{
	uint64_t i;
	int round;

	begin();
	for (round = 0; round < 3; round++)
		for (i = 0; i < 40000; i++)
			if (!right(i))
				ck_abort_msg("%llu", (unsigned long long)i);
	ck_assert_uint_eq(asked, 40000);
	ck_assert(right(UINT64_MAX));
	ck_assert(right(UINT64_MAX - 1));
	source_free(source);
	source_free(NULL);
}
END_TEST

/* What is asked for is more than an address. */
static bool tell_apart(void *ctx, const struct source_place *place, struct source_line *out)
{
	(void)ctx;
	out->file = STR("a.c");
	out->line = (uint32_t)place->pid * 100 + place->dso * 10 + place->is_call;
	return true;
}

START_TEST(test_told_apart)
{
	begin();
	options.source = tell_apart;
	for (uint32_t i = 0; i < 2 * 4 * 2 * 3; i++) {
		struct source_place place = { .pid = (int32_t)(i % 4),
					      .dso = i / 4 % 4,
					      .is_call = i / 16 % 2 };

		ck_assert_uint_eq(source_find(source, &place)->line,
				  i % 4 * 100 + i / 4 % 4 * 10 + i / 16 % 2);
	}
	source_free(source);
}
END_TEST

/* A million functions: the table forgets, and what it says stays right. */
START_TEST(test_more_than_fit)
{
	uint64_t i;

	begin();
	for (i = 0; i < 1000000; i++)
		if (!right(i))
			ck_abort_msg("%llu", (unsigned long long)i);
	ck_assert(right(0));
	source_free(source);
}
END_TEST

/* A million files of different names: all have the right name, or from some point on none. */
START_TEST(test_too_many_files)
{
	uint64_t i, right_ones = 0, none = 0;

	begin();
	for (i = 0; i < 1000000; i++) {
		if (source_find(source, &(struct source_place){ .addr = i * 10 })->file ==
		    INTERN_NONE)
			none++;
		else
			right_ones += right(i * 10);
	}
	ck_assert_uint_eq(right_ones + none, 1000000);
	ck_assert_uint_gt(right_ones, 100000);
	ck_assert_uint_gt(none, 0);
	source_free(source);
}
END_TEST

SUITE_MAIN("trace/source", test_each_is_asked_for_once, test_told_apart, test_more_than_fit,
	   test_too_many_files)
