/* SPDX-License-Identifier: MIT */
#include "stack/go.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_go_switch_back_to_who_called_mcall)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference = true;
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "gopark");
	play_call(&p, 1020, "runtime.mcall");
	play_call(&p, 1030, "park_m");
	play_call(&p, 1040, "gogo");
	play_jump(&p, 1050, "gopark+9");
	/* gogo leaves all down to mcall and gopark; then control is in gopark */
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nB 10 gopark\nB 20 runtime.mcall\nB 30 park_m\nB 40 gogo\n"
			 "E 50 gogo\nE 50 park_m\nE 50 runtime.mcall\nE 50 gopark\n"
			 "B 50 gopark\nE 50 gopark\nE 50 main\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_go_switch_to_a_stack_never_seen)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "schedule");
	play_call(&p, 1010, "gogo");
	play_jump(&p, 1020, "worker+9");
	play_return(&p, 1030, "goexit+1");
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 schedule\nB 10 gogo\nE 20 gogo\nE 20 schedule\n"
			 "B 20 goexit inf\nB 20 worker\nE 30 worker\nE 30 goexit\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_the_frame_that_called_mcall_goes_on)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "gopark");
	play_branch(&p, 1020, TRACE_ON, BRANCH_CALL, "gopark+4", "runtime.mcall");
	play_branch(&p, 1030, TRACE_ON, BRANCH_CALL, "runtime.mcall+4", "gogo");
	play_jump(&p, 1040, "gopark+9");
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nB 10 gopark\nB 20 runtime.mcall\nB 30 gogo\nE 40 gogo\n"
			 "E 40 runtime.mcall\nE 40 gopark\nE 40 main\n");
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/go", test_go_switch_back_to_who_called_mcall,
	   test_go_switch_to_a_stack_never_seen, test_the_frame_that_called_mcall_goes_on)
