/* SPDX-License-Identifier: MIT */
#include "stack/ahead.h"

#include "support/suite.h"

/* Two stacks. */
static const struct frame one[] = { { .from = 0x1000 },
				    { .from = 0x1100 },
				    { .from = 0x1200, .start = 0x2000 } };
static const struct frame other[] = { { .from = 0x1000 }, { .from = 0x1900 }, { .from = 0x1200 } };

static struct event branch(enum trace_state state, enum branch_kind kind, uint64_t src,
			   uint64_t dst)
{
	struct event ev = { .kind = EVENT_BRANCH };

	ev.branch.kind = kind;
	ev.branch.state = state;
	ev.branch.src = (struct location){ .addr = src, .off = 1, .sym = 5 };
	ev.branch.dst = (struct location){ .addr = dst, .off = 1, .sym = 6 };
	return ev;
}

static void tell(struct ahead *a, enum ahead_way way, const struct frame *frames, uint32_t n,
		 uint32_t left)
{
	ahead_tell(a, &(struct ahead_path){ .way = way, .frames = frames, .n = n, .left = left });
}

/* An event waits that leads to one, to other, or to a stack of which nothing is known. */
static void begin(struct ahead *a)
{
	struct event ev = branch(TRACE_ON, BRANCH_RETURN, 0, 0x5000);

	ahead_init(a);
	ahead_wait(a, &ev);
	ahead_doubt(a);
	tell(a, AHEAD_LOWER, one, 3, 7);
	tell(a, AHEAD_FIBER, other, 3, 5);
	tell(a, AHEAD_NEW, NULL, 0, 6);
}

static bool follows(struct ahead *a, enum branch_kind kind, uint64_t src, uint64_t dst)
{
	struct event ev = branch(TRACE_ON, kind, src, dst);

	ahead_wait(a, &ev);
	return ahead_known(a);
}

static void expect(struct ahead *a, enum ahead_way way)
{
	ck_assert_int_eq(ahead_path(a).way, way);
	ahead_fini(a);
}

START_TEST(test_no_doubt)
{
	struct event ev = branch(TRACE_ON, BRANCH_RETURN, 0, 0x5000), got;
	struct ahead a;

	ahead_init(&a);
	ahead_wait(&a, &ev);
	ck_assert(!a.judged);
	ahead_doubt(&a);
	ck_assert(a.judged);
	ck_assert(ahead_known(&a));
	ck_assert_int_eq(ahead_path(&a).way, AHEAD_NONE);
	ck_assert_uint_eq(ahead_first(&a)->branch.dst.addr, 0x5000);
	got = ahead_next(&a);
	ck_assert_uint_eq(got.branch.dst.addr, 0x5000);
	ck_assert_uint_eq(a.n, 0);
	ck_assert(!a.judged);
	ahead_fini(&a);
}
END_TEST

START_TEST(test_returns_tell)
{
	struct ahead a;

	begin(&a);
	ck_assert(!ahead_known(&a));
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x6000));
	ck_assert(!follows(&a, BRANCH_JCC, 0x6000, 0x6010));
	ck_assert(!follows(&a, BRANCH_RETURN, 0x6020, 0x5015));
	ck_assert(!follows(&a, BRANCH_RETURN, 0x5020, 0x1205));
	ck_assert(follows(&a, BRANCH_RETURN, 0x1210, 0x1105));
	expect(&a, AHEAD_LOWER);
	begin(&a);
	ck_assert(!follows(&a, BRANCH_RETURN, 0x5020, 0x1205));
	ck_assert(follows(&a, BRANCH_RETURN, 0x1210, 0x1905));
	expect(&a, AHEAD_FIBER);
}
END_TEST

START_TEST(test_return_that_none_expects)
{
	struct ahead a;

	begin(&a);
	ck_assert(follows(&a, BRANCH_RETURN, 0x5020, 0x9999));
	expect(&a, AHEAD_FIBER);
}
END_TEST

/* A jump, as far as is known, by the function on top of one; or it begins a stack. */
static void begin_jump(struct ahead *a)
{
	struct event ev = branch(TRACE_ON, BRANCH_JMP, 0x2000, 0x5000);

	ahead_init(a);
	ahead_wait(a, &ev);
	ahead_doubt(a);
	tell(a, AHEAD_NEW, NULL, 0, 1);
	tell(a, AHEAD_JUMP, one, 3, 0);
}

START_TEST(test_jump)
{
	struct ahead a;

	begin_jump(&a);
	ck_assert(follows(&a, BRANCH_RETURN, 0x5020, 0x1205)); /* where it was called */
	expect(&a, AHEAD_JUMP);
	begin_jump(&a);
	ck_assert(follows(&a, BRANCH_RETURN, 0x5020, 0x2001)); /* back into it */
	expect(&a, AHEAD_JUMP);
	begin_jump(&a);
	ck_assert(follows(&a, BRANCH_RETURN, 0x5020, 0x9999));
	expect(&a, AHEAD_JUMP);
}
END_TEST

START_TEST(test_jump_that_switched)
{
	struct event src = branch(TRACE_ON, BRANCH_JMP, 0x2001, 0x1205);
	struct ahead a;

	begin_jump(&a);
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x2000));
	ahead_wait(&a, &src);
	ck_assert(ahead_known(&a));
	expect(&a, AHEAD_NEW);
	/* Another function goes there: one that unwinds, say. */
	begin_jump(&a);
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x7000));
	ck_assert(follows(&a, BRANCH_RETURN, 0x7001, 0x1205));
	expect(&a, AHEAD_JUMP);
	/* It goes elsewhere. */
	begin_jump(&a);
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x2000));
	ck_assert(follows(&a, BRANCH_JMP, 0x2001, 0x7777));
	expect(&a, AHEAD_JUMP);
}
END_TEST

/* All that remain may be meant: the one with the least number is. */
START_TEST(test_left_again)
{
	struct ahead a;

	begin(&a);
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x6000));
	ck_assert(follows(&a, BRANCH_RETURN, 0x6020, 0x7777));
	expect(&a, AHEAD_FIBER);
	begin(&a);
	ck_assert(follows(&a, BRANCH_JMP, 0x6020, 0x7777));
	expect(&a, AHEAD_FIBER);
	begin(&a);
	ck_assert(follows(&a, BRANCH_SYSRET, 0x6020, 0x7777));
	expect(&a, AHEAD_FIBER);
}
END_TEST

START_TEST(test_next_instruction)
{
	struct ahead a;

	begin(&a);
	ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x5015));
	ck_assert_uint_eq(a.n_calls, 0);
	ahead_fini(&a);
}
END_TEST

/* Tracing stops for a while: where it goes on in the same place, more is learned. */
START_TEST(test_stops)
{
	struct event end = branch(TRACE_END, BRANCH_SYSCALL, 0x5020, 0);
	struct event start = branch(TRACE_START, BRANCH_NONE, 0, 0x5022);
	struct event elsewhere = branch(TRACE_START, BRANCH_NONE, 0, 0x9000);
	struct event returned = branch(TRACE_END, BRANCH_RETURN, 0x5020, 0);
	struct event cbr = { .kind = EVENT_CBR }, error = { .kind = EVENT_ERROR };
	struct ahead a;

	begin(&a);
	ahead_wait(&a, &end);
	ahead_wait(&a, &cbr);
	ahead_wait(&a, &start);
	ck_assert(!ahead_known(&a));
	ahead_wait(&a, &error);
	ck_assert(ahead_known(&a));
	ahead_fini(&a);
	begin(&a);
	ahead_wait(&a, &end);
	ahead_wait(&a, &elsewhere);
	ck_assert(ahead_known(&a));
	ahead_fini(&a);
	begin(&a);
	ahead_wait(&a, &returned);
	ck_assert(ahead_known(&a));
	ahead_fini(&a);
}
END_TEST

START_TEST(test_bounds)
{
	struct ahead a;
	uint32_t i;

	begin(&a);
	for (i = 0; i < AHEAD_CALLS; i++)
		ck_assert(!follows(&a, BRANCH_CALL, 0x5010, 0x6000));
	ck_assert(follows(&a, BRANCH_CALL, 0x5010, 0x6000));
	expect(&a, AHEAD_FIBER);
	begin(&a);
	for (i = 1; i + 1 < AHEAD_EVENTS; i++)
		ck_assert(!follows(&a, BRANCH_JCC, 0x5010, 0x5020));
	ck_assert(follows(&a, BRANCH_JCC, 0x5010, 0x5020));
	for (i = 0; i < AHEAD_EVENTS; i++)
		ck_assert_int_eq(ahead_next(&a).branch.kind, i ? BRANCH_JCC : BRANCH_RETURN);
	ck_assert_uint_eq(a.n, 0);
	ahead_fini(&a);
}
END_TEST

START_TEST(test_differ)
{
	struct ahead a;

	begin(&a);
	ck_assert(ahead_differ(&a));
	ahead_doubt(&a);
	tell(&a, AHEAD_LOWER, one, 3, 7);
	ck_assert(!ahead_differ(&a));
	tell(&a, AHEAD_FIBER, one, 3, 5);
	ck_assert(!ahead_differ(&a));
	tell(&a, AHEAD_FIBER, other, 3, 5);
	ck_assert(ahead_differ(&a));
	ahead_fini(&a);
}
END_TEST

SUITE_MAIN("stack/ahead", test_no_doubt, test_returns_tell, test_return_that_none_expects,
	   test_jump, test_jump_that_switched, test_left_again, test_next_instruction, test_stops,
	   test_bounds, test_differ)
