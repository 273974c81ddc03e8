/* SPDX-License-Identifier: MIT */
#include "stack/expect.h"

#include "base/intern.h"
#include "support/suite.h"

#define NAME 5u /* of a function, any number that is not INTERN_NONE */

static struct location place(uint64_t start, uint64_t off)
{
	return (struct location){ .addr = start + off, .off = off, .sym = NAME };
}

static bool back(enum frame_kind kind, uint64_t from, struct location dst)
{
	struct frame frame = { .kind = (uint8_t)kind, .from = from };

	return expect_back(&frame, &dst);
}

START_TEST(test_back_into_the_middle_of_a_function)
{
	ck_assert(!back(FRAME_CALL, 0x1000, place(0xf00, 0x100)));
	ck_assert(back(FRAME_CALL, 0x1000, place(0xf00, 0x101)));
	ck_assert(back(FRAME_CALL, 0x1000, place(0xf00, 0x10f)));
	ck_assert(!back(FRAME_CALL, 0x1000, place(0xf00, 0x110)));
	ck_assert(back(FRAME_STOPPED, 0x1000, place(0xf00, 0x100)));
	ck_assert(back(FRAME_STOPPED, 0x1000, place(0xf00, 0x10e)));
	ck_assert(!back(FRAME_STOPPED, 0x1000, place(0xf00, 0x10f)));
	ck_assert(!back(FRAME_CALL, 0, place(0, 1)));
}
END_TEST

/* What begins there is another function, unless the call ends there. */
START_TEST(test_back_to_a_first_byte)
{
	struct location unnamed = { .addr = 0x1008 };

	ck_assert(back(FRAME_CALL, 0x1000, place(0x1006, 0)));
	ck_assert(!back(FRAME_CALL, 0x1000, place(0x1007, 0)));
	ck_assert(back(FRAME_STOPPED, 0x1000, place(0x1000, 0)));
	ck_assert(!back(FRAME_STOPPED, 0x1000, place(0x1001, 0)));
	ck_assert(back(FRAME_CALL, 0x1000, unnamed));
	ck_assert(back(FRAME_SYSCALL, 0x1000, unnamed));
}
END_TEST

START_TEST(test_nearest)
{
	struct location dst = place(0x1000, 5), other = place(0x2000, 5);
	struct frame frames[] = {
		{ .sym = NAME, .start = 0x900 },
		{ .from = 0x1000, .sym = NAME, .start = 0x1000 },
		{ .from = 0x1000, .sym = NAME + 1, .start = 0x3000 },
		{ .from = 0x3004, .sym = NAME + 2, .start = 0x4000 },
	};
	struct callstack cs;

	callstack_init(&cs, 0);
	for (size_t i = 0; i < 4; i++)
		callstack_push(&cs, &frames[i]);
	ck_assert_uint_eq(expect_nearest(&cs, 4, &dst), 3);
	ck_assert_uint_eq(expect_nearest(&cs, 2, &dst), 2);
	ck_assert_uint_eq(expect_nearest(&cs, 1, &dst), 0);
	ck_assert_uint_eq(expect_nearest(&cs, 4, &other), 0);
	ck_assert_uint_eq(expect_holder(&cs, 4, &dst), 2);
	ck_assert_uint_eq(expect_holder(&cs, 1, &dst), 1);
	dst.sym = NAME + 9;
	ck_assert_uint_eq(expect_holder(&cs, 4, &dst), 0);
	dst.sym = INTERN_NONE;
	ck_assert_uint_eq(expect_holder(&cs, 4, &dst), 0);
	callstack_fini(&cs);
}
END_TEST

START_TEST(test_within)
{
	struct frame whole = { .addr = 0x1000, .start = 0x1000 };
	struct frame middle = { .addr = 0x1007, .start = 0x1000 };
	struct callstack cs;

	callstack_init(&cs, 0);
	callstack_push(&cs, &middle);
	ck_assert(!expect_within(&cs));
	callstack_push(&cs, &middle);
	ck_assert(expect_within(&cs));
	callstack_push(&cs, &whole);
	ck_assert(!expect_within(&cs));
	whole.start = 0x900;
	callstack_push(&cs, &whole);
	ck_assert(!expect_within(&cs));
	callstack_fini(&cs);
}
END_TEST

SUITE_MAIN("stack/expect", test_back_into_the_middle_of_a_function, test_back_to_a_first_byte,
	   test_nearest, test_within)
