/* SPDX-License-Identifier: MIT */
/* One test a row of the table of branch kinds and trace states. */
#include "stack/branch.h"

#include "support/play.h"
#include "support/suite.h"

/* Events are 10 ns apart, so that no two share a timestamp; main is called at time 0. */
static void begin(struct play *p, enum trace_scope scope)
{
	play_init(p, scope);
	play_call(p, 1000, "main");
}

START_TEST(test_end_frames)
{
	static const struct {
		enum branch_kind kind;
		const char *name;
	} ends[] = {
		{ BRANCH_NONE, "[untraced]" },    { BRANCH_ASYNC, "[untraced]" },
		{ BRANCH_HW_INT, "[untraced]" },  { BRANCH_JMP, "[untraced]" },
		{ BRANCH_JCC, "[untraced]" },     { BRANCH_INT, "[untraced]" },
		{ BRANCH_TX_ABRT, "[untraced]" }, { BRANCH_SYSCALL, "[syscall]" },
		{ BRANCH_VMENTRY, "[syscall]" },  { BRANCH_RETURN, "[returned]" },
	};
	char want[100];
	struct play p;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		begin(&p, SCOPE_USER);
		play_branch(&p, 1010, TRACE_END, ends[i].kind, "main+4", "");
		play_branch(&p, 1020, TRACE_START, BRANCH_NONE, "", "main+4");
		play_call(&p, 1030, "f");
		snprintf(want, sizeof(want),
			 "B 0 main\nB 10 %s\nE 20 %s\nB 30 f\nE 30 f\nE 30 main\n", ends[i].name,
			 ends[i].name);
		ck_assert_uint_eq(stacks_stats(p.stacks)->out_of_scope, 0);
		play_expect(&p, want);
	}
}
END_TEST

START_TEST(test_call_that_ends_tracing)
{
	struct play p;

	begin(&p, SCOPE_USER);
	play_branch(&p, 1010, TRACE_END, BRANCH_CALL, "main+4", "?9990");
	play_branch(&p, 1020, TRACE_START, BRANCH_JMP, "", "main+8");
	play_call(&p, 1030, "f");
	play_expect(&p, "B 0 main\nB 10 [unknown]\nE 20 [unknown]\nB 30 f\nE 30 f\n"
			"E 30 main\n");
}
END_TEST

START_TEST(test_iret_that_ends_tracing_leaves_all)
{
	struct play p;

	begin(&p, SCOPE_KERNEL);
	play_call(&p, 1010, "k_f");
	play_branch(&p, 1020, TRACE_END, BRANCH_IRET, "k_f+4", "");
	/* in kernel scope a start begins a new stack, which stays empty till something is known */
	play_branch(&p, 1030, TRACE_START, BRANCH_NONE, "", "k_g+4");
	play_jump(&p, 1040, "k_g+9");
	play_expect(&p, "B 0 main\nB 10 k_f\nE 20 k_f\nE 20 main\nB 20 [untraced]\n"
			"E 30 [untraced]\nB 30 k_g inf\nE 40 k_g\n");
}
END_TEST

START_TEST(test_return)
{
	struct play p;

	begin(&p, SCOPE_USER);
	play_call(&p, 1010, "f");
	play_return(&p, 1020, "main+4");
	play_return(&p, 1030, "start+4"); /* out of the first known frame */
	play_return(&p, 1040, "g+4");
	play_expect(&p, "B 0 g inf\nB 0 start inf\nB 0 main\nB 10 f\nE 20 f\n"
			"E 30 main\nE 40 start\nE 40 g\n");
}
END_TEST

START_TEST(test_return_from_a_function_never_seen)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_ON, BRANCH_JCC, "f+1", "f+2");
	play_return(&p, 1010, "main+4");
	play_return(&p, 1020, "?7777");
	play_branch(&p, 1030, TRACE_END, BRANCH_SYSRET, "", "");
	/* leaves the stack empty: what returns now was never seen */
	play_branch(&p, 1040, TRACE_START, BRANCH_NONE, "", "main+8");
	play_return(&p, 1050, "main+9");
	play_expect(&p, "B 0 main inf\nB 0 [unknown]\nB 0 [unknown] inf\nB 0 main inf\n"
			"B 0 f inf\nE 10 f\nE 20 main\nE 30 [unknown]\n"
			"B 30 [untraced]\nE 40 [untraced]\nE 50 [unknown]\nE 50 main\n");
}
END_TEST

START_TEST(test_return_from_what_was_there_from_the_first_event)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_event(&p, &(struct event){ .kind = EVENT_CBR, .has_time = true, .time = 990 });
	play_return(&p, 1010, "main+4");
	/* the first branch 20 ns after the first event: [unknown] was there all that time */
	play_expect(&p, "C 0 0\nB 0 main inf\nB 0 [unknown]\nE 20 [unknown]\nE 20 main\n");
}
END_TEST

START_TEST(test_tail_call)
{
	struct play p;

	begin(&p, SCOPE_USER);
	play_call(&p, 1010, "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_JCC, "f+1", "f+8");
	play_branch(&p, 1030, TRACE_ON, BRANCH_JCC, "f+9", "g");
	play_branch(&p, 1040, TRACE_ON, BRANCH_INT, "g+9", "h");
	play_expect(&p, "B 0 main\nB 10 f\nE 30 f\nB 30 g\nE 40 g\nB 40 h\nE 40 h\n"
			"E 40 main\n");
}
END_TEST

START_TEST(test_system_call_with_the_kernel_traced)
{
	struct play p;

	begin(&p, SCOPE_USER_AND_KERNEL);
	play_branch(&p, 1010, TRACE_ON, BRANCH_SYSCALL, "main+4", "k_entry");
	play_call(&p, 1020, "k_f");
	play_branch(&p, 1030, TRACE_ON, BRANCH_HW_INT, "k_f+4", "k_irq");
	play_branch(&p, 1040, TRACE_ON, BRANCH_IRET, "k_irq+4", "k_f+4");
	play_branch(&p, 1050, TRACE_ON, BRANCH_SYSRET, "k_f+8", "main+6");
	play_call(&p, 1060, "g");
	ck_assert_uint_eq(stacks_stats(p.stacks)->out_of_scope, 0);
	/* what begins with its stack waits for callers that may be found until the stack is gone */
	play_expect(&p, "B 0 main\nB 10 k_entry\nB 20 k_f\nB 30 k_irq\nE 40 k_irq\n"
			"E 50 k_f\nE 50 k_entry\nB 60 g\nE 60 g\nE 60 main\n");
}
END_TEST

START_TEST(test_callers_found_in_the_kernel_enclose_what_was_there)
{
	struct play p;

	begin(&p, SCOPE_USER_AND_KERNEL);
	play_branch(&p, 1010, TRACE_ON, BRANCH_HW_INT, "main+4", "k_irq");
	play_return(&p, 1020, "k_asm+4");
	play_branch(&p, 1030, TRACE_ON, BRANCH_IRET, "k_asm+8", "main+4");
	play_jump(&p, 1040, "main+8");
	play_expect(&p, "B 0 main\nB 10 k_asm inf\nB 10 k_irq\nE 20 k_irq\nE 30 k_asm\n"
			"E 40 main\n");
}
END_TEST

START_TEST(test_iret_whose_beginning_was_not_seen)
{
	struct play p;

	begin(&p, SCOPE_USER_AND_KERNEL);
	play_branch(&p, 1010, TRACE_ON, BRANCH_IRET, "k_irq+4", "f+8");
	play_branch(&p, 1020, TRACE_ON, BRANCH_SYSRET, "k_irq+4", "k_g+8");
	play_return(&p, 1030, "k_h+1");
	/* user code was there from the beginning, kernel code since it was entered */
	play_expect(&p, "B 0 f inf\nB 0 main\nE 10 main\nE 20 f\n"
			"B 20 k_h inf\nB 20 k_g inf\nE 30 k_g\nE 30 k_h\n");
}
END_TEST

START_TEST(test_virtual_machine)
{
	struct play p;

	begin(&p, SCOPE_USER_AND_KERNEL);
	play_branch(&p, 1010, TRACE_ON, BRANCH_VMENTRY, "k_run+4", "guest");
	play_branch(&p, 1020, TRACE_ON, BRANCH_VMEXIT, "guest+4", "k_run+8");
	play_jump(&p, 1030, "main+3");
	play_expect(&p, "B 0 main\nB 10 guest\nE 20 guest\nE 30 main\n");
}
END_TEST

START_TEST(test_asynchronous_branch)
{
	struct play p;

	begin(&p, SCOPE_USER_AND_KERNEL);
	play_branch(&p, 1010, TRACE_ON, BRANCH_ASYNC, "main+4", "");
	play_branch(&p, 1020, TRACE_ON, BRANCH_ASYNC, "main+4", "k_irq");
	play_branch(&p, 1030, TRACE_ON, BRANCH_IRET, "k_irq+4", "main+4");
	play_branch(&p, 1040, TRACE_ON, BRANCH_NONE, "main+4", "f");
	play_expect(&p, "B 0 main\nB 20 k_irq\nE 30 k_irq\nE 40 main\n");
}
END_TEST

START_TEST(test_frames_know_where_they_were_called_from)
{
	struct play p;
	char want[300];
	unsigned long long m, k;

	begin(&p, SCOPE_USER_AND_KERNEL);
	p.collect.show_from = true;
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_JMP, "f+6", "g"); /* returns to main as f would */
	play_branch(&p, 1030, TRACE_ON, BRANCH_HW_INT, "g+2", "k_irq");
	play_branch(&p, 1040, TRACE_ON, BRANCH_CALL, "k_irq+9", "k_f");
	play_branch(&p, 1050, TRACE_ON, BRANCH_RETURN, "k_f+1", "k_irq+14");
	play_branch(&p, 1060, TRACE_END, BRANCH_SYSCALL, "k_irq+20", "");
	m = play_place(&p, "main").addr;
	k = play_place(&p, "k_irq").addr;
	snprintf(want, sizeof(want),
		 "B 0 main\nB 10 f <%llx\nE 20 f\nB 20 g <%llx\nB 30 k_irq <%llx\nB 40 k_f <%llx\n"
		 "E 50 k_f\nB 60 [syscall] <%llx\nE 60 [syscall]\nE 60 k_irq\nE 60 g\n"
		 "E 60 main\n",
		 m + 4, m + 4, (unsigned long long)play_place(&p, "g+2").addr, k + 9, k + 20);
	play_expect(&p, want);
}
END_TEST

START_TEST(test_starts)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_CALL, "", "f+8");
	play_call(&p, 1010, "g");
	play_branch(&p, 1020, TRACE_START, BRANCH_HW_INT, "", "f+9");
	play_call(&p, 1030, "h");
	play_expect(&p, "B 0 f\nB 10 g\nE 20 g\nB 30 h\nE 30 h\nE 30 f\n");
}
END_TEST

START_TEST(test_what_the_scope_should_not_hold_is_counted)
{
	struct play p;

	begin(&p, SCOPE_USER);
	play_branch(&p, 1010, TRACE_ON, BRANCH_SYSCALL, "main+1", "k_f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_HW_INT, "k_f+1", "k_g");
	play_branch(&p, 1030, TRACE_END, BRANCH_SYSRET, "k_g+1", "");
	ck_assert_uint_eq(stacks_stats(p.stacks)->out_of_scope, 3);
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/branch", test_end_frames, test_call_that_ends_tracing,
	   test_iret_that_ends_tracing_leaves_all, test_return,
	   test_return_from_a_function_never_seen,
	   test_return_from_what_was_there_from_the_first_event, test_tail_call,
	   test_system_call_with_the_kernel_traced,
	   test_callers_found_in_the_kernel_enclose_what_was_there,
	   test_iret_whose_beginning_was_not_seen, test_virtual_machine, test_asynchronous_branch,
	   test_frames_know_where_they_were_called_from, test_starts,
	   test_what_the_scope_should_not_hold_is_counted)
