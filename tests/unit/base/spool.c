/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include "support/suite.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

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
	ck_assert_uint_gt(a.n_chunks, 20);
	ck_assert_uint_le(a.cap_mem, 2 * a.per_block);
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

START_TEST(test_without_a_file_all_is_kept_in_memory)
{
	struct spool_pool *pool = spool_pool_new(0);
	struct err err;
	struct spool s;

	setenv("TMPDIR", "/nonexistent/dir", 1);
	spool_init(&s, pool, sizeof(uint64_t));
	ck_assert(!spool_pool_in_memory(pool, NULL));
	fill(&s, 0, 100000);
	ck_assert(spool_pool_in_memory(pool, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "No such file"));
	ck_assert_ptr_nonnull(strstr(err.hint, "TMPDIR"));
	ck_assert_int_eq(spool_pool_error(pool, NULL), 0);
	check_both_ways(&s, 100000);
	spool_fini(&s);
	spool_pool_free(pool);
}
END_TEST

/* A process that may write no file beyond 100 kB, as on a disk that is full. */
START_TEST(test_a_full_disk_loses_nothing)
{
	struct rlimit limit = { .rlim_cur = 100000, .rlim_max = 100000 };
	struct spool_pool *pool = spool_pool_new(0);
	struct spool a, b;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	spool_init(&a, pool, sizeof(uint64_t));
	spool_init(&b, pool, 3 * sizeof(uint64_t));
	fill(&a, 0, 50000);
	fill(&b, 0, 50000);
	ck_assert(spool_pool_in_memory(pool, NULL));
	ck_assert_uint_gt(a.n_chunks, 0);
	check_both_ways(&a, 50000);
	check_both_ways(&b, 50000);
	spool_fini(&a);
	spool_fini(&b);
	spool_pool_free(pool);
}
END_TEST

START_TEST(test_space_is_used_again_by_records_of_another_size)
{
	struct spool_pool *pool = spool_pool_new(0);
	struct spool a, b;
	uint64_t top = 0;
	uint32_t i;

	spool_init(&a, pool, sizeof(uint64_t));
	spool_init(&b, pool, 3 * sizeof(uint64_t));
	fill(&a, 0, 100000);
	for (i = 0; i < a.n_chunks; i++)
		top = a.chunks[i] > top ? a.chunks[i] : top;
	spool_clear(&a);
	fill(&b, 0, 20000);
	ck_assert_uint_gt(b.n_chunks, 10);
	for (i = 0; i < b.n_chunks; i++)
		ck_assert_uint_le(b.chunks[i], top);
	check_both_ways(&b, 20000);
	spool_fini(&a);
	spool_fini(&b);
	spool_pool_free(pool);
}
END_TEST

SUITE_MAIN("base/spool", test_in_memory, test_spills_and_stays_small,
	   test_without_a_file_all_is_kept_in_memory, test_a_full_disk_loses_nothing,
	   test_space_is_used_again_by_records_of_another_size)
