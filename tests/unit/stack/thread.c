/* SPDX-License-Identifier: MIT */
/* The time of events, and stacks that grow beyond all reason. */
#include "stack/thread.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_times)
{
	struct shared shared = { 0 };
	struct thread th;

	shared.config.pool = spool_pool_new(4096);
	thread_init(&th, &shared, 1, 1);
	thread_start(&th, 100);
	/* the thread's first timestamp counts as that of an error */
	ck_assert_int_eq(thread_time(&th, 100), 101);
	ck_assert_int_eq(th.last_event_time, 100);
	ck_assert_int_eq(thread_time(&th, 100), 101);
	ck_assert_int_eq(thread_time(&th, 150), 150);
	ck_assert_uint_eq(shared.stats.clamped, 0);
	ck_assert_int_eq(thread_time(&th, 149), 150);
	ck_assert_uint_eq(shared.stats.clamped, 1);
	ck_assert_int_eq(th.last_event_time, 150);
	th.floor = 170;
	ck_assert_int_eq(thread_time(&th, 160), 170);
	thread_fini(&th);
	spool_pool_free(shared.config.pool);
}
END_TEST

START_TEST(test_first_event_at_time_0_is_not_moved)
{
	struct shared shared = { 0 };
	struct thread th;

	shared.config.pool = spool_pool_new(4096);
	thread_init(&th, &shared, 1, 1);
	thread_start(&th, 0);
	ck_assert_int_eq(thread_time(&th, 0), 0);
	ck_assert_int_eq(thread_time(&th, -5), 0);
	thread_fini(&th);
	spool_pool_free(shared.config.pool);
}
END_TEST

static void ignore(void *ctx, const struct span *span)
{
	int64_t *open = ctx;

	*open += (span->kind == SPAN_BEGIN) - (span->kind == SPAN_END);
}

static uint32_t one_track(void *ctx, const struct track_key *key)
{
	(void)ctx;
	(void)key;
	return 0;
}

START_TEST(test_stack_beyond_all_reason_is_given_up)
{
	int64_t open = 0;
	struct play p;
	uint32_t i;

	play_init(&p, SCOPE_USER_AND_KERNEL);
	p.config.sink.ctx = &open;
	p.config.sink.span = ignore;
	p.config.sink.track = one_track;
	for (i = 0; i < CALLSTACK_MAX_LEVELS + 10; i++)
		play_branch(&p, 1000 + i, TRACE_ON, BRANCH_SYSCALL, "main", "k_entry");
	ck_assert_uint_eq(stacks_stats(p.stacks)->overflowed, 1);
	stacks_finish(p.stacks);
	ck_assert_int_eq(open, 0);
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/thread", test_times, test_first_event_at_time_0_is_not_moved,
	   test_stack_beyond_all_reason_is_given_up)
