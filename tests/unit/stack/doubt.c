/* SPDX-License-Identifier: MIT */
/* Events are 10 ns apart; main begins at 0. */
#include "stack/doubt.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_pushed_function)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_return(&p, 1020, "g"); /* f has pushed it */
	play_call_at(&p, 1030, "g+4", "h");
	play_return(&p, 1040, "g+9");
	play_return(&p, 1050, "main+9"); /* from g, to where f was called */
	play_expect(&p, "B 0 main\nB 10 f\nE 20 f\nB 20 g\nB 30 h\nE 40 h\nE 50 g\nE 50 main\n");
}
END_TEST

START_TEST(test_function_of_another_stack)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "g");
	play_call_at(&p, 1030, "g+4", "swap");
	play_return(&p, 1040, "main+9"); /* not from g */
	play_expect(&p, "B 0 main\nB 10 swap\nB 20 g\nB 30 swap\nE 40 swap\nE 40 g\nE 40 swap\n"
			"E 40 main\n");
}
END_TEST

START_TEST(test_tail_call)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_JMP, "f+10", "g");
	play_return(&p, 1030, "main+9");
	play_call_at(&p, 1040, "main+20", "f");
	play_branch(&p, 1050, TRACE_ON, BRANCH_JMP, "f+10", "g"); /* need not be looked at */
	ck_assert_uint_eq((unsigned int)stacks_stats(p.stacks)->last, 50);
	play_return(&p, 1060, "main+25");
	play_expect(&p, "B 0 main\nB 10 f\nE 20 f\nB 20 g\nE 30 g\nB 40 f\nE 50 f\nB 50 g\nE 60 g\n"
			"E 60 main\n");
}
END_TEST

START_TEST(test_jump_to_another_stack)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_branch(&p, 1020, TRACE_ON, BRANCH_JMP, "swap+10", "g");
	play_call_at(&p, 1030, "g+4", "swap");
	play_branch(&p, 1040, TRACE_ON, BRANCH_JMP, "swap+10", "main+9");
	play_expect(&p, "B 0 main\nB 10 swap\nB 20 g\nB 30 swap\nE 40 swap\nE 40 g\nE 40 swap\n"
			"E 40 main\n");
}
END_TEST

/* The end of the trace, and of its file, come before it is known what it was. */
START_TEST(test_end)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "g");
	play_call_at(&p, 1030, "g+4", "h");
	play_expect(&p,
		    "B 0 main\nB 10 swap\nB 20 g\nB 30 h\nE 30 h\nE 30 g\nE 30 swap\nE 30 main\n");
	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "g");
	stacks_next_file(p.stacks);
	play_branch(&p, 1050, TRACE_START, BRANCH_NONE, "", "main");
	play_expect(&p, "B 0 main\nB 10 swap\nB 20 g\nE 20 g\nE 20 swap\nE 20 main\nB 51 main\n"
			"E 51 main\n");
}
END_TEST

/* What needs no stack keeps its place behind what waits. */
START_TEST(test_other_events_wait)
{
	struct event cbr = { .kind = EVENT_CBR, .has_time = true, .time = 1025 };
	struct play p;

	cbr.cbr.mhz = 800;
	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_return(&p, 1020, "g");
	play_event(&p, &cbr);
	play_return(&p, 1030, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nE 20 f\nB 20 g\nC 25 800\nE 30 g\nE 30 main\n");
}
END_TEST

/* Two stacks, left in turn: each in a function of its own, which called pause. */
static void leave_two(struct play *p)
{
	play_main(p);
	play_call_at(p, 1010, "main+4", "swap");
	play_return(p, 1020, "a");
	play_call_at(p, 1030, "a+4", "pause");
	play_call_at(p, 1040, "pause+4", "swap");
	play_return(p, 1050, "main+9");
	play_call_at(p, 1060, "main+20", "swap");
	play_return(p, 1070, "b");
	play_call_at(p, 1080, "b+4", "pause");
	play_call_at(p, 1090, "pause+4", "swap");
	play_return(p, 1100, "main+25");
	play_call_at(p, 1110, "main+30", "swap");
	collect_clear(&p->collect);
	play_return(p, 1120, "pause+9"); /* a's or b's? */
}

START_TEST(test_stack_that_waits_longest)
{
	struct play p;

	leave_two(&p);
	play_return(&p, 1130, "a+9");
	play_expect(&p, "B 0 main\nB 110 swap\nB 120 a\nB 120 pause\nE 130 pause\nE 130 a\n"
			"E 130 swap\nE 130 main\n");
}
END_TEST

START_TEST(test_stack_that_waits_less_long)
{
	struct play p;

	leave_two(&p);
	play_return(&p, 1130, "b+9");
	play_expect(&p, "B 0 main\nB 110 swap\nB 120 b\nB 120 pause\nE 130 pause\nE 130 b\n"
			"E 130 swap\nE 130 main\n");
}
END_TEST

/* A thousand events say nothing: the one that waits longest is taken. */
START_TEST(test_patience)
{
	struct play p;
	int i;

	leave_two(&p);
	for (i = 0; i < (int)AHEAD_EVENTS; i++)
		play_branch(&p, 1121, TRACE_ON, BRANCH_JCC, "pause+20", "pause+10");
	play_return(&p, 1130, "b+9");
	ck_assert_ptr_nonnull(strstr(play_end_sorted(&p), "B 120 a\nB 120 pause\n"));
	play_fini(&p);
}
END_TEST

/* A switching function is in doubt whether it has switched at all. */
START_TEST(test_no_switch)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "swap");
	play_return(&p, 1020, "a");
	play_call_at(&p, 1030, "a+4", "pause");
	play_call_at(&p, 1040, "pause+4", "swap");
	play_return(&p, 1050, "main+9");
	play_call_at(&p, 1060, "main+20", "f");
	play_call_at(&p, 1070, "f+4", "pause");
	play_call_at(&p, 1080, "pause+4", "swap");
	play_return(&p, 1090, "pause+9"); /* of f, or of a? */
	play_return(&p, 1100, "f+9");
	collect_clear(&p.collect);
	play_return(&p, 1110, "main+25");
	/* the first pause ended when control went back to main, the second one returned */
	play_expect(&p, "B 0 main\nE 100 pause\nE 110 f\nE 110 main\n");
}
END_TEST

/* By the rules of the OCaml program, in the kernel, and with a filter nothing waits. */
START_TEST(test_no_looking_ahead)
{
	struct play p;
	int i;

	for (i = 0; i < 3; i++) {
		play_init(&p, i == 1 ? SCOPE_USER_AND_KERNEL : SCOPE_USER);
		p.config.reference = i == 0;
		if (i == 2)
			p.config.filter_start = p.config.filter_stop = STR("main");
		play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
		play_call_at(&p, 1010, "main+4", "f");
		play_return(&p, 1020, "g");
		ck_assert_uint_eq((unsigned int)stacks_stats(p.stacks)->last, 20);
		play_end(&p);
		play_fini(&p);
	}
}
END_TEST

SUITE_MAIN("stack/doubt", test_pushed_function, test_tail_call, test_jump_to_another_stack,
	   test_function_of_another_stack, test_end, test_other_events_wait,
	   test_stack_that_waits_longest, test_stack_that_waits_less_long, test_patience,
	   test_no_switch, test_no_looking_ahead)
