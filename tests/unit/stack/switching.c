/* SPDX-License-Identifier: MIT */
/* Stacks that are left and go on. Events are 10 ns apart; main begins at 0. */
#include "stack/switching.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_generator)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "gen"); /* a stack that begins */
	play_call_at(&p, 1030, "gen+4", "yield");
	play_call_at(&p, 1040, "yield+4", "swap");
	play_return(&p, 1050, "main+9"); /* back to who switched */
	play_call_at(&p, 1060, "main+24", "swap");
	play_return(&p, 1070, "yield+9"); /* goes on */
	play_return(&p, 1080, "gen+9");
	play_return(&p, 1090, "end"); /* the stack's end: what it was made to return to */
	play_call_at(&p, 1100, "end+4", "swap");
	play_return(&p, 1110, "main+29");
	play_expect(&p,
		    "B 0 main\nB 10 swap\nB 20 gen\nB 30 yield\nB 40 swap\nE 50 swap\nE 50 yield\n"
		    "E 50 gen\nE 50 swap\nB 60 swap\nB 70 gen\nB 70 yield\nE 80 yield\nE 90 gen\n"
		    "B 90 end\nB 100 swap\nE 110 swap\nE 110 end\nE 110 swap\nE 110 main\n");
}
END_TEST

START_TEST(test_arrow)
{
	struct play p;

	play_main(&p);
	p.collect.show_arrows = true;
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "gen");
	play_call_at(&p, 1030, "gen+4", "swap");
	play_return(&p, 1040, "main+9");
	play_call_at(&p, 1050, "main+24", "swap");
	play_return(&p, 1060, "gen+9"); /* goes on */
	play_call_at(&p, 1070, "gen+24", "swap");
	play_return(&p, 1080, "main+29"); /* and never again */
	play_expect(
		&p,
		"B 0 main\nB 10 swap\nB 20 gen\nB 30 swap\n> 40 1\nE 40 swap\nE 40 gen\nE 40 swap\n"
		"B 50 swap\nB 60 gen\n< 60 1\nB 70 swap\n> 80 2\nE 80 swap\nE 80 gen\nE 80 swap\n"
		"E 80 main\n");
}
END_TEST

START_TEST(test_frames_that_go_on_take_no_time)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference_times = true;
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "gen");
	play_call_at(&p, 1030, "gen+4", "yield");
	play_call_at(&p, 1040, "yield+4", "swap");
	play_return(&p, 1050, "main+9");
	play_call_at(&p, 1060, "main+24", "swap");
	play_return(&p, 1070, "yield+9");
	play_call_at(&p, 1070, "yield+20", "f"); /* gen and yield share one half of the 10 ns */
	play_return(&p, 1080, "yield+25");
	play_expect(&p,
		    "B 0 main\nB 10 swap\nB 20 gen\nB 30 yield\nB 40 swap\nE 50 swap\nE 50 yield\n"
		    "E 50 gen\nE 50 swap\nB 60 swap\nB 70 gen\nB 70 yield\nB 75 f\nE 80 f\n"
		    "E 80 yield\nE 80 gen\nE 80 swap\nE 80 main\n");
}
END_TEST

START_TEST(test_ring_of_one_function)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "a");
	play_call_at(&p, 1030, "a+4", "to");
	play_call_at(&p, 1040, "to+4", "swap");
	play_return(&p, 1050, "b");
	play_call_at(&p, 1060, "b+4", "to");
	play_call_at(&p, 1070, "to+4", "swap");
	play_return(&p, 1080, "to+9"); /* of a, which waits longer than b itself */
	play_return(&p, 1090, "a+9");
	play_call_at(&p, 1100, "a+14", "to");
	play_call_at(&p, 1110, "to+4", "swap");
	play_return(&p, 1120, "to+9"); /* of b */
	play_return(&p, 1130, "b+9");
	play_expect(&p,
		    "B 0 main\nB 10 swap\nB 20 a\nB 30 to\nB 40 swap\nB 50 b\nB 60 to\nB 70 swap\n"
		    "E 80 swap\nE 80 to\nE 80 b\nE 80 swap\nE 90 to\nB 100 to\nB 110 swap\n"
		    "B 120 b\nB 120 to\nE 130 to\nE 130 b\nE 130 swap\nE 130 to\nE 130 a\n"
		    "E 130 swap\nE 130 main\n");
}
END_TEST

START_TEST(test_switch_by_a_jump)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_jump(&p, 1020, "gen"); /* looks like a tail call */
	play_call_at(&p, 1030, "gen+4", "swap");
	play_jump(&p, 1040, "main+9"); /* it was none: swap switches */
	play_call_at(&p, 1050, "main+14", "swap");
	play_jump(&p, 1060, "gen+9");
	play_call_at(&p, 1070, "gen+24", "swap");
	play_jump(&p, 1080, "other"); /* so this is a stack that begins */
	play_expect(&p,
		    "B 0 main\nB 10 swap\nE 20 swap\nB 20 gen\nB 30 swap\nE 40 swap\nE 40 gen\n"
		    "B 50 swap\nB 60 gen\nB 70 swap\nB 80 other\nE 80 other\nE 80 swap\nE 80 gen\n"
		    "E 80 swap\nE 80 main\n");
}
END_TEST

START_TEST(test_longjmp_to_another_stack)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "gen");
	play_call_at(&p, 1030, "gen+4", "yield");
	play_call_at(&p, 1040, "yield+4", "longjmp");
	play_jump(&p, 1050, "main+100");
	play_call_at(&p, 1060, "main+104", "longjmp");
	play_jump(&p, 1070, "yield+100");
	play_expect(&p, "B 0 main\nB 10 swap\nB 20 gen\nB 30 yield\nB 40 longjmp\nE 50 longjmp\n"
			"E 50 yield\nE 50 gen\nE 50 swap\nB 60 longjmp\nB 70 gen\nB 70 yield\n"
			"E 70 yield\nE 70 gen\nE 70 longjmp\nE 70 main\n");
}
END_TEST

START_TEST(test_errors_forget_stacks)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "gen");
	play_call_at(&p, 1030, "gen+4", "swap");
	play_return(&p, 1040, "main+9");
	play_error(&p, 1050, "lost");
	play_call_at(&p, 1060, "main+24", "swap");
	play_return(&p, 1070, "gen+9");
	play_expect(&p, "B 0 main\nB 10 swap\nB 20 gen\nB 30 swap\nE 40 swap\nE 40 gen\nE 40 swap\n"
			"X 50-50 [decode error: lost]\nE 50 main\nB 60 swap\nB 70 gen\nE 70 gen\n"
			"E 70 swap\n");
}
END_TEST

/* Stacks that begin one after another and never end do not pile up. */
START_TEST(test_as_many_in_front_of_one_another_as_can_be)
{
	struct play p;
	int64_t t = 1010;
	int i;
	const char *text;
	size_t deepest = 0, depth = 0;

	play_main(&p);
	for (i = 0; i < 200; i++, t += 20) {
		play_call_at(&p, t, "main+4", "swap");
		play_return(&p, t + 10, i & 1 ? "a" : "b");
	}
	for (text = play_end_sorted(&p); *text; text = strchr(text, '\n') + 1) {
		depth += *text == 'B';
		depth -= *text == 'E';
		if (deepest < depth)
			deepest = depth;
	}
	ck_assert_uint_eq(depth, 0);
	/* main, and 64 stacks of two frames, and a swap that begins another one */
	ck_assert_uint_eq(deepest, 1 + 2 * 64 + 1);
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/switching", test_arrow, test_generator, test_frames_that_go_on_take_no_time,
	   test_ring_of_one_function, test_switch_by_a_jump, test_longjmp_to_another_stack,
	   test_errors_forget_stacks, test_as_many_in_front_of_one_another_as_can_be)
