/* SPDX-License-Identifier: MIT */
/* What is expected is found by asking each range in turn. */
#include "symbol/ranges.h"

#include "support/random.h"
#include "support/suite.h"

#include <stdbool.h>

#define RANGES_MAX 40
#define SPACE      64

/* Whether x counts rather than y where both are. */
static bool is_inner(const struct range *x, const struct range *y)
{
	if (x->start != y->start)
		return x->start > y->start;
	if (x->end != y->end)
		return x->end < y->end;
	return x->owner > y->owner;
}

static bool is_newer(const struct range *x, const struct range *y)
{
	return x->owner > y->owner;
}

static const struct {
	void (*settle)(struct ranges *ranges);
	bool (*counts)(const struct range *x, const struct range *y);
} rules[] = {
	{ ranges_settle, is_inner },
	{ ranges_settle_newest, is_newer },
};

static const struct range *search(const struct range *all, size_t n, uint64_t at,
				  bool (*counts)(const struct range *x, const struct range *y))
{
	const struct range *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (all[i].start <= at && at < all[i].end && (!best || counts(&all[i], best)))
			best = &all[i];
	return best;
}

static void check_all(const struct ranges *ranges, const struct range *all, size_t n, int rule)
{
	for (size_t i = 0; i < ranges->n; i++) {
		ck_assert_uint_lt(ranges->all[i].start, ranges->all[i].end);
		ck_assert(i == 0 || ranges->all[i - 1].end <= ranges->all[i].start);
	}
	for (uint64_t at = 0; at < SPACE + 8; at++) {
		const struct range *want = search(all, n, at, rules[rule].counts);
		const struct range *got = ranges_find(ranges, at);

		ck_assert_int_eq(!want, !got);
		if (want)
			ck_assert_uint_eq(want->owner, got->owner);
	}
}

START_TEST(test_any)
{
	uint64_t random = 1;

	for (int round = 0; round < 6000; round++) {
		struct range all[RANGES_MAX];
		struct ranges ranges = { 0 };
		size_t n = below(&random, RANGES_MAX);

		for (size_t i = 0; i < n; i++) {
			all[i] = (struct range){ .start = below(&random, SPACE), .owner = i };
			all[i].end = all[i].start + below(&random, 1 + SPACE - all[i].start);
			ranges_add(&ranges, all[i].start, all[i].end, i);
		}
		rules[round % 2].settle(&ranges);
		check_all(&ranges, all, n, round % 2);
		ranges_fini(&ranges);
	}
}
END_TEST

START_TEST(test_ends)
{
	struct ranges ranges = { 0 };

	ranges_settle(&ranges);
	ranges_settle_newest(&ranges);
	ck_assert_ptr_null(ranges_find(&ranges, 0));
	ranges_add(&ranges, 5, 5, 1);
	ranges_add(&ranges, 6, 5, 1);
	ck_assert_uint_eq(ranges.n, 0);
	ranges_add(&ranges, 0, UINT64_MAX, 1);
	ranges_add(&ranges, UINT64_MAX - 1, UINT64_MAX, 2);
	ranges_settle(&ranges);
	ck_assert_uint_eq(ranges_find(&ranges, 0)->owner, 1);
	ck_assert_uint_eq(ranges_find(&ranges, UINT64_MAX - 2)->owner, 1);
	ck_assert_uint_eq(ranges_find(&ranges, UINT64_MAX - 1)->owner, 2);
	ck_assert_ptr_null(ranges_find(&ranges, UINT64_MAX));
	ranges_settle_newest(&ranges);
	ck_assert_uint_eq(ranges_find(&ranges, UINT64_MAX - 1)->owner, 2);
	ranges_fini(&ranges);
}
END_TEST

SUITE_MAIN("symbol/ranges", test_any, test_ends)
