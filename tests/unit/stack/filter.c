/* SPDX-License-Identifier: MIT */
#include "stack/filter.h"

#include "support/suite.h"

enum { START = 3, STOP = 4, OTHER = 5 };

static uint32_t mark(struct filter *f, enum branch_kind kind, enum trace_state state, uint32_t sym)
{
	struct event ev = { .kind = EVENT_BRANCH };

	ev.branch.kind = kind;
	ev.branch.state = state;
	ev.branch.dst.sym = sym;
	filter_mark(f, &ev);
	return ev.region;
}

static uint32_t call(struct filter *f, uint32_t sym)
{
	return mark(f, BRANCH_CALL, TRACE_ON, sym);
}

START_TEST(test_off)
{
	struct filter f;

	filter_init(&f, 0, 0);
	ck_assert(!filter_on(&f));
	ck_assert_uint_eq(call(&f, START), 0);
	ck_assert_uint_eq(call(&f, 0), 0);
}
END_TEST

START_TEST(test_regions)
{
	struct filter f;

	filter_init(&f, START, STOP);
	ck_assert(filter_on(&f));
	ck_assert_uint_eq(call(&f, OTHER), 0);
	ck_assert_uint_eq(call(&f, STOP), 0);
	ck_assert_uint_eq(call(&f, START), 1);
	ck_assert_uint_eq(call(&f, OTHER), 1);
	ck_assert_uint_eq(call(&f, START), 1);
	ck_assert_uint_eq(f.ended, 0);
	ck_assert_uint_eq(call(&f, STOP), 0);
	ck_assert_uint_eq(f.ended, 1);
	ck_assert_uint_eq(mark(&f, BRANCH_CALL, TRACE_END, START), 2);
	ck_assert_uint_eq(call(&f, STOP), 0);
	ck_assert_uint_eq(f.ended, 2);
}
END_TEST

START_TEST(test_only_calls_count)
{
	struct filter f;

	filter_init(&f, START, STOP);
	ck_assert_uint_eq(mark(&f, BRANCH_JMP, TRACE_ON, START), 0);
	ck_assert_uint_eq(mark(&f, BRANCH_RETURN, TRACE_ON, START), 0);
	ck_assert_uint_eq(mark(&f, BRANCH_CALL, TRACE_START, START), 0);
	ck_assert_uint_eq(mark(&f, BRANCH_NONE, TRACE_START, START), 0);
}
END_TEST

START_TEST(test_file_without_stop)
{
	struct filter f;

	filter_init(&f, START, STOP);
	call(&f, START);
	filter_end_file(&f);
	ck_assert_uint_eq(f.dropped, 1);
	ck_assert_uint_eq(call(&f, STOP), 0);
	ck_assert_uint_eq(f.ended, 0);
	ck_assert_uint_eq(call(&f, START), 2);
	ck_assert_uint_eq(call(&f, STOP), 0);
	filter_end_file(&f);
	ck_assert_uint_eq(f.dropped, 1);
	ck_assert_uint_eq(f.ended, 2);
}
END_TEST

static uint32_t sample(struct filter *f, const uint32_t *syms, size_t n)
{
	struct location frames[4] = { 0 };
	struct event ev = { .kind = EVENT_SAMPLE };
	size_t i;

	for (i = 0; i < n; i++)
		frames[i].sym = syms[i];
	ev.sample.frames = frames;
	ev.sample.n = n;
	filter_mark(f, &ev);
	return ev.region;
}

START_TEST(test_innermost_frame_of_a_sample_decides)
{
	static const uint32_t in[] = { OTHER, STOP, START, OTHER }, out[] = { START, STOP };
	static const uint32_t none[] = { 0, OTHER };
	struct filter f;

	filter_init(&f, START, STOP);
	ck_assert_uint_eq(sample(&f, none, 2), 0);
	ck_assert_uint_eq(sample(&f, in, 4), 1);
	ck_assert_uint_eq(sample(&f, none, 2), 1);
	ck_assert_uint_eq(sample(&f, out, 2), 0);
	ck_assert_uint_eq(sample(&f, NULL, 0), 0);
}
END_TEST

SUITE_MAIN("stack/filter", test_off, test_regions, test_only_calls_count, test_file_without_stop,
	   test_innermost_frame_of_a_sample_decides)
