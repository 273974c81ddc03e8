/* SPDX-License-Identifier: MIT */
#include "stack/callstack.h"

#include "base/intern.h"
#include "support/suite.h"

static struct frame frame(uint32_t sym)
{
	return (struct frame){ .sym = sym, .addr = sym * 16, .start = sym * 16 };
}

static void push(struct callstack *cs, uint32_t sym)
{
	struct frame f = frame(sym);

	callstack_push(cs, &f);
}

START_TEST(test_push_and_pop)
{
	struct callstack cs;
	uint32_t i;

	callstack_init(&cs, 5);
	ck_assert_ptr_null(callstack_top(&cs));
	for (i = 1; i <= 1000; i++)
		push(&cs, i);
	ck_assert_uint_eq(callstack_depth(&cs), 1000);
	ck_assert_uint_eq(cs.shown, 1000);
	ck_assert_uint_eq(callstack_top(&cs)->sym, 1000);
	ck_assert_uint_eq(callstack_frame(&cs, 0)->sym, 1);
	ck_assert_uint_eq(callstack_pop(&cs).sym, 1000);
	ck_assert_uint_eq(cs.shown, 999);
	callstack_reset(&cs, 9);
	ck_assert_uint_eq(callstack_depth(&cs), 0);
	ck_assert_int_eq(callstack_level(&cs)->created, 9);
	callstack_fini(&cs);
}
END_TEST

START_TEST(test_levels)
{
	struct callstack cs;

	callstack_init(&cs, 0);
	push(&cs, 1);
	push(&cs, 2);
	callstack_park(&cs, 70);
	ck_assert_uint_eq(callstack_depth(&cs), 0);
	ck_assert_ptr_null(callstack_top(&cs));
	push(&cs, 3);
	ck_assert_uint_eq(callstack_depth(&cs), 1);
	ck_assert_uint_eq(callstack_frame(&cs, 0)->sym, 3);
	ck_assert_int_eq(callstack_level(&cs)->created, 70);
	callstack_level(&cs)->used = true;
	callstack_level(&cs)->max_shown = 9;
	callstack_pop(&cs);
	ck_assert(callstack_unpark(&cs));
	ck_assert_uint_eq(callstack_top(&cs)->sym, 2);
	ck_assert(callstack_level(&cs)->used);
	ck_assert_uint_eq(callstack_level(&cs)->max_shown, 9);
	ck_assert(!callstack_unpark(&cs));
	ck_assert_uint_eq(callstack_depth(&cs), 2);
	callstack_fini(&cs);
}
END_TEST

START_TEST(test_outermost_and_what_is_shown)
{
	struct frame copy = frame(2), hidden = frame(3);
	struct callstack cs;

	copy.copy = true;
	hidden.hidden = true;
	callstack_init(&cs, 0);
	push(&cs, 1);
	callstack_park(&cs, 0);
	callstack_push(&cs, &copy);
	push(&cs, 4);
	callstack_push(&cs, &hidden);
	ck_assert_uint_eq(cs.shown, 2);
	callstack_remove_outermost(&cs);
	ck_assert_uint_eq(cs.shown, 2);
	ck_assert_uint_eq(callstack_depth(&cs), 2);
	ck_assert_uint_eq(callstack_frame(&cs, 0)->sym, 4);
	callstack_remove_outermost(&cs);
	ck_assert_uint_eq(cs.shown, 1);
	ck_assert_uint_eq(callstack_top(&cs)->sym, 3);
	callstack_fini(&cs);
}
END_TEST

START_TEST(test_same_function)
{
	struct location loc = { .addr = 0x1010, .off = 0x10, .sym = 5, .dso = 1 };
	struct location other = { .addr = 0x1020, .off = 0x20, .sym = 6, .dso = 1 };
	struct location place = { .addr = 0x1010, .sym = INTERN_NONE, .dso = 1 };
	struct frame f = frame_of(&loc, 3);

	ck_assert_uint_eq(f.start, 0x1000);
	ck_assert_uint_eq(f.from, 3);
	ck_assert(frame_same_symbol(&f, &loc));
	ck_assert(!frame_same_symbol(&f, &other));
	ck_assert(frame_same_start(&f, &other));
	ck_assert(!frame_same_start(&f, &place));
	f = frame_of(&place, 0);
	ck_assert(frame_same_symbol(&f, &place));
	ck_assert(frame_same_start(&f, &place));
	place.dso = 2;
	ck_assert(!frame_same_symbol(&f, &place));
	place.dso = 1;
	place.addr++;
	ck_assert(!frame_same_symbol(&f, &place));
	ck_assert(!frame_same_start(&f, &place));
}
END_TEST

START_TEST(test_remove_below)
{
	struct callstack cs;

	callstack_init(&cs, 0);
	push(&cs, 1);
	push(&cs, 2);
	callstack_park(&cs, 70);
	push(&cs, 3);
	ck_assert_uint_eq(callstack_remove_below(&cs, 1).sym, 2);
	ck_assert_uint_eq(callstack_depth(&cs), 1);
	ck_assert_uint_eq(callstack_top(&cs)->sym, 3);
	ck_assert_uint_eq(cs.shown, 2);
	callstack_pop(&cs);
	ck_assert(callstack_unpark(&cs));
	ck_assert_uint_eq(callstack_depth(&cs), 1);
	ck_assert_uint_eq(callstack_top(&cs)->sym, 1);
	callstack_fini(&cs);
}
END_TEST

START_TEST(test_where_control_comes_back_to)
{
	struct frame f = { .from = 100, .kind = FRAME_CALL };

	ck_assert(!frame_expects(&f, 100));
	ck_assert(frame_expects(&f, 101));
	ck_assert(frame_expects(&f, 115));
	ck_assert(!frame_expects(&f, 116));
	ck_assert(!frame_expects(&f, 99));
	f.kind = FRAME_SIGNAL; /* of an interrupt, or of a system call of two bytes */
	ck_assert(frame_expects(&f, 100));
	ck_assert(frame_expects(&f, 102));
	ck_assert(!frame_expects(&f, 115));
	f.from = 0;
	ck_assert(!frame_expects(&f, 0));
	ck_assert(!frame_expects(&f, 1));
	f.kind = FRAME_CALL;
	ck_assert(!frame_expects(&f, 1));
}
END_TEST

START_TEST(test_what_a_function_holds)
{
	struct frame f = { .addr = 0x1000, .start = 0x1000, .sym = 5 };
	struct location loc = { .addr = 0x1008, .off = 8, .sym = 5 };

	ck_assert(frame_holds(&f, &loc));
	loc.sym = 6;
	ck_assert(!frame_holds(&f, &loc));
	/* its first byte is where it is called, but for that of a part that lies elsewhere */
	loc = (struct location){ .addr = 0x1000, .sym = 5 };
	ck_assert(!frame_holds(&f, &loc));
	loc.addr = 0x9000;
	ck_assert(frame_holds(&f, &loc));
	f.sym = loc.sym = INTERN_NONE;
	ck_assert(!frame_holds(&f, &loc));
}
END_TEST

START_TEST(test_frames_of_our_own)
{
	struct frame f = { .kind = FRAME_CALL };

	ck_assert(!frame_synthetic(&f));
	f.kind = FRAME_STOPPED;
	ck_assert(frame_synthetic(&f));
	f.kind = FRAME_RETURNED;
	ck_assert(frame_synthetic(&f));
	f.kind = FRAME_SIGNAL;
	ck_assert(!frame_synthetic(&f));
	f.kind = FRAME_INTERRUPT;
	ck_assert(!frame_synthetic(&f));
}
END_TEST

SUITE_MAIN("stack/callstack", test_push_and_pop, test_levels, test_outermost_and_what_is_shown,
	   test_same_function, test_remove_below, test_where_control_comes_back_to,
	   test_what_a_function_holds, test_frames_of_our_own)
