/* SPDX-License-Identifier: MIT */
#include "stack/fibers.h"

#include "base/intern.h"
#include "support/suite.h"

/* A stack of n functions 1, 2, ... n: each is called at 0x1000 times its caller's number + 0x10. */
static void stack_of(struct frame *frames, uint32_t n, uint64_t base)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		frames[i] = (struct frame){
			.addr = base + (i + 1) * 0x1000ull,
			.start = base + (i + 1) * 0x1000ull,
			.from = i ? base + i * 0x1000ull + 0x10 : 0,
			.sym = i + 1,
		};
}

START_TEST(test_the_one_that_waits_longest_goes_on)
{
	struct fibers fibers;
	struct frame frames[3];
	const struct fiber *fiber;

	fibers_init(&fibers);
	stack_of(frames, 3, 0);
	fibers_keep(&fibers, frames, 3, 7);
	fibers_keep(&fibers, frames, 3, 5);
	stack_of(frames, 2, 0x100000);
	fibers_keep(&fibers, frames, 2, 1);
	ck_assert_ptr_null(fibers_find(&fibers, 0x2010));
	ck_assert_ptr_null(fibers_find(&fibers, 0x2020));
	ck_assert_ptr_null(fibers_take(&fibers, fibers_find(&fibers, 0x9999)));
	fiber = fibers_take(&fibers, fibers_find(&fibers, 0x2015));
	ck_assert_uint_eq(fiber->left, 5);
	ck_assert_uint_eq(fiber->n, 2);
	ck_assert_uint_eq(fiber->frames[1].sym, 2);
	ck_assert_uint_eq(fiber->gone.sym, 3);
	/* what was taken is valid while others are kept */
	fibers_keep(&fibers, frames, 2, 8);
	ck_assert_uint_eq(fiber->frames[1].sym, 2);
	ck_assert_uint_eq(fibers_take(&fibers, fibers_find(&fibers, 0x2015))->left, 7);
	ck_assert_ptr_null(fibers_find(&fibers, 0x2015));
	ck_assert_uint_eq(fibers_find(&fibers, 0x101015)->left, 1);
	fibers_clear(&fibers);
	ck_assert_ptr_null(fibers_find(&fibers, 0x101015));
	fibers_fini(&fibers);
}
END_TEST

START_TEST(test_a_function_of_it_holds_where_a_longjmp_lands)
{
	struct fibers fibers;
	struct frame frames[4];
	struct location loc = { .addr = 0x2030, .off = 0x30, .sym = 2 };
	const struct fiber *fiber;

	fibers_init(&fibers);
	stack_of(frames, 4, 0);
	fibers_keep(&fibers, frames, 4, 1); /* one more frame than the others */
	fibers_keep(&fibers, frames, 3, 3);
	fibers_keep(&fibers, frames, 3, 2);
	fiber = fibers_take_within(&fibers, &loc);
	ck_assert_uint_eq(fiber->left, 2);
	ck_assert_uint_eq(fiber->n, 2);
	fiber = fibers_take_within(&fibers, &loc);
	ck_assert_uint_eq(fiber->left, 3);
	fiber = fibers_take_within(&fibers, &loc);
	ck_assert_uint_eq(fiber->left, 1);
	ck_assert_uint_eq(fiber->n, 2);
	ck_assert_ptr_null(fibers_take_within(&fibers, &loc));
	fibers_fini(&fibers);
}
END_TEST

START_TEST(test_what_cannot_go_on_is_not_kept)
{
	struct fibers fibers;
	struct frame frames[FIBER_MAX_FRAMES + 1];

	fibers_init(&fibers);
	stack_of(frames, FIBER_MAX_FRAMES + 1, 0);
	fibers_keep(&fibers, frames, 1, 1);
	fibers_keep(&fibers, frames, FIBER_MAX_FRAMES + 1, 1);
	frames[1].from = 0;
	fibers_keep(&fibers, frames, 2, 1);
	ck_assert_uint_eq(fibers.n, 0);
	fibers_keep(&fibers, frames, FIBER_MAX_FRAMES, 1);
	ck_assert_uint_eq(fibers.n, 1);
	fibers_fini(&fibers);
}
END_TEST

START_TEST(test_the_first_one_makes_room)
{
	struct fibers fibers;
	struct frame frames[2];
	uint32_t i;

	fibers_init(&fibers);
	for (i = 0; i <= FIBERS_MAX; i++) {
		stack_of(frames, 2, i * 0x10000ull);
		fibers_keep(&fibers, frames, 2, i);
	}
	ck_assert_uint_eq(fibers.n, FIBERS_MAX);
	ck_assert_ptr_null(fibers_find(&fibers, 0x1015));
	ck_assert_uint_eq(fibers_find(&fibers, 0x11015)->left, 1);
	ck_assert_uint_eq(fibers_find(&fibers, FIBERS_MAX * 0x10000ull + 0x1015)->left, FIBERS_MAX);
	fibers_fini(&fibers);
}
END_TEST

SUITE_MAIN("stack/fibers", test_the_one_that_waits_longest_goes_on,
	   test_a_function_of_it_holds_where_a_longjmp_lands, test_what_cannot_go_on_is_not_kept,
	   test_the_first_one_makes_room)
