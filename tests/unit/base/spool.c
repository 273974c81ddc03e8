/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include "support/suite.h"

#include <stdbool.h>

struct sequence {
	uint64_t next;
	int64_t step;
	uint64_t seen;
	bool ok;
};

static void follow(void *ctx, void *rec)
{
	struct sequence *seq = ctx;

	seq->ok &= *(uint64_t *)rec == seq->next;
	seq->next += (uint64_t)seq->step;
	seq->seen++;
}

static void check_both_ways(struct spool *s, uint64_t n)
{
	struct sequence up = { .next = 0, .step = 1, .ok = true };
	struct sequence down = { .next = n - 1, .step = -1, .ok = true };

	ck_assert_uint_eq(spool_count(s), n);
	spool_each(s, follow, &up);
	spool_each_back(s, follow, &down);
	ck_assert_uint_eq(up.seen, n);
	ck_assert(up.ok);
	ck_assert_uint_eq(down.seen, n);
	ck_assert(down.ok);
}

static void fill(struct spool *s, uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		*(uint64_t *)spool_push(s) = from;
}

START_TEST(test_in_memory)
{
	struct spool_pool *pool = spool_pool_new(1 << 20);
	struct spool s;

	spool_init(&s, pool, sizeof(uint64_t));
	ck_assert_uint_eq(spool_count(&s), 0);
	fill(&s, 0, 5000);
	check_both_ways(&s, 5000);
	ck_assert_uint_eq(s.n_chunks, 0);
	spool_clear(&s);
	fill(&s, 0, 3);
	check_both_ways(&s, 3);
	spool_fini(&s);
	spool_pool_free(pool);
}
END_TEST

START_TEST(test_spills_and_stays_small)
{
	struct spool_pool *pool = spool_pool_new(10000);
	struct spool a, b;

	spool_init(&a, pool, sizeof(uint64_t));
	spool_init(&b, pool, sizeof(uint64_t));
	fill(&a, 0, 1000);
	fill(&b, 0, 100000);
	fill(&a, 1000, 50000);
	ck_assert_uint_gt(a.n_chunks, 100);
	ck_assert_uint_le(a.cap_mem, 2 * SPOOL_BLOCK);
	check_both_ways(&a, 50000);
	check_both_ways(&b, 100000);
	ck_assert_int_eq(spool_pool_error(pool, NULL), 0);
	spool_clear(&b); /* its blocks in the file are used again */
	fill(&b, 0, 70000);
	check_both_ways(&a, 50000);
	check_both_ways(&b, 70000);
	spool_fini(&a);
	spool_fini(&b);
	spool_pool_free(pool);
}
END_TEST

START_TEST(test_no_place_for_the_file)
{
	struct spool_pool *pool = spool_pool_new(0);
	struct err err;
	struct spool s;

	setenv("TMPDIR", "/nonexistent/dir", 1);
	spool_init(&s, pool, sizeof(uint64_t));
	fill(&s, 0, 10000);
	ck_assert_int_eq(spool_pool_error(pool, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file"));
	ck_assert_ptr_nonnull(strstr(err.hint, "TMPDIR"));
	ck_assert_uint_lt(spool_count(&s), 10000);
	spool_fini(&s);
	spool_pool_free(pool);
}
END_TEST

SUITE_MAIN("base/spool", test_in_memory, test_spills_and_stays_small, test_no_place_for_the_file)
