/* SPDX-License-Identifier: MIT */
/* One test a way in which the kernel gives control back. Events are 10 ns apart; main begins at 0.
 */
#include "stack/resume.h"

#include "support/play.h"
#include "support/suite.h"

static void stop(struct play *p, int64_t t, enum branch_kind kind, const char *src)
{
	play_branch(p, t, TRACE_END, kind, src, "");
}

static void start(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_START, BRANCH_NONE, "", dst);
}

START_TEST(test_signal)
{
	struct play p;

	play_main(&p);
	p.collect.show_signal = true;
	stop(&p, 1010, BRANCH_ASYNC, "main+4");
	start(&p, 1020, "handler");
	stop(&p, 1030, BRANCH_SYSCALL, "handler+4");
	start(&p, 1040, "other"); /* delivered when the system call returns */
	play_return(&p, 1050, "restorer");
	stop(&p, 1060, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1070, "handler+6");
	play_return(&p, 1080, "restorer");
	stop(&p, 1090, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1100, "main+4");
	play_call_at(&p, 1110, "main+8", "f");
	play_expect(&p,
		    "B 0 main\nB 10 [untraced]\nE 20 [untraced]\nB 20 handler sig\n"
		    "B 30 [syscall]\nE 40 [syscall]\nB 40 other sig\nE 50 other\nB 50 restorer\n"
		    "E 60 restorer\nB 60 [syscall]\nE 70 [syscall]\nE 80 handler\nB 80 restorer\n"
		    "E 90 restorer\nB 90 [syscall]\nE 100 [syscall]\nB 110 f\nE 110 f\n"
		    "E 110 main\n");
}
END_TEST

/* f ends with its call of abort, and h begins right behind that. */
START_TEST(test_handler_that_begins_behind_a_call)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	intern_add(p.names, STR("h")); /* its page is the next one */
	play_call_at(&p, 1020, "f+4091", "abort");
	stop(&p, 1030, BRANCH_SYSCALL, "abort+9");
	start(&p, 1040, "h");
	play_return(&p, 1050, "restorer");
	play_expect(&p,
		    "B 0 main\nB 10 f\nB 20 abort\nB 30 [syscall]\nE 40 [syscall]\nB 40 h\nE 50 h\n"
		    "B 50 restorer\nE 50 restorer\nE 50 abort\nE 50 f\nE 50 main\n");
}
END_TEST

/* The interrupted function ends two bytes behind the place, and the handler begins there. */
START_TEST(test_handler_that_begins_behind_the_interrupted_place)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	intern_add(p.names, STR("h")); /* its page is the next one */
	stop(&p, 1020, BRANCH_ASYNC, "f+4094");
	start(&p, 1030, "h");
	play_return(&p, 1040, "restorer");
	stop(&p, 1050, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1060, "f+4094");
	play_return(&p, 1070, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 [untraced]\nE 30 [untraced]\nB 30 h\nE 40 h\n"
			"B 40 restorer\nE 50 restorer\nB 50 [syscall]\nE 60 [syscall]\nE 70 f\n"
			"E 70 main\n");
}
END_TEST

START_TEST(test_signal_that_waited_for_a_handler)
{
	struct play p;

	play_main(&p);
	stop(&p, 1010, BRANCH_ASYNC, "main+4");
	start(&p, 1020, "handler");
	play_return(&p, 1030, "restorer");
	stop(&p, 1040, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1050, "other");
	play_return(&p, 1060, "restorer");
	stop(&p, 1070, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1080, "main+4");
	play_expect(&p, "B 0 main\nB 10 [untraced]\nE 20 [untraced]\nB 20 handler\nE 30 handler\n"
			"B 30 restorer\nE 40 restorer\nB 40 [syscall]\nE 50 [syscall]\nB 50 other\n"
			"E 60 other\nB 60 restorer\nE 70 restorer\nB 70 [syscall]\nE 80 [syscall]\n"
			"E 80 main\n");
}
END_TEST

START_TEST(test_signal_left_by_a_longjmp)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	stop(&p, 1020, BRANCH_SYSCALL, "f+4");
	start(&p, 1030, "handler");
	play_call_at(&p, 1040, "handler+4", "siglongjmp");
	play_jump(&p, 1050, "main+40");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 [syscall]\nE 30 [syscall]\nB 30 handler\n"
			"B 40 siglongjmp\nE 50 siglongjmp\nE 50 handler\nE 50 f\nE 50 main\n");
}
END_TEST

START_TEST(test_signal_with_the_kernel_traced)
{
	struct play p;

	play_init(&p, SCOPE_USER_AND_KERNEL);
	play_call(&p, 1000, "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_HW_INT, "main+4", "k_irq");
	play_branch(&p, 1020, TRACE_ON, BRANCH_IRET, "k_irq+9", "handler");
	play_return(&p, 1030, "restorer");
	play_branch(&p, 1040, TRACE_ON, BRANCH_SYSCALL, "restorer+7", "k_entry");
	play_branch(&p, 1050, TRACE_ON, BRANCH_SYSRET, "k_entry+9", "main+4");
	play_branch(&p, 1060, TRACE_ON, BRANCH_CALL, "main+8", "f");
	play_expect(&p,
		    "B 0 main\nB 10 k_irq\nE 20 k_irq\nB 20 handler\nE 30 handler\nB 30 restorer\n"
		    "E 40 restorer\nB 40 k_entry\nE 50 k_entry\nB 60 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_system_call_made_again)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "read");
	stop(&p, 1020, BRANCH_SYSCALL, "read+4");
	start(&p, 1030, "read+4"); /* at the instruction itself, as SA_RESTART has it */
	play_return(&p, 1040, "main+9");
	play_expect(&p,
		    "B 0 main\nB 10 read\nB 20 [syscall]\nE 30 [syscall]\nE 40 read\nE 40 main\n");
}
END_TEST

START_TEST(test_exec)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "execve");
	stop(&p, 1020, BRANCH_SYSCALL, "execve+7");
	start(&p, 1030, "_start");
	play_call_at(&p, 1040, "_start+4", "f");
	play_expect(&p, "B 0 main\nB 10 execve\nB 20 [syscall]\nE 30 [syscall]\nE 30 execve\n"
			"E 30 main\nB 30 _start\nB 40 f\nE 40 f\nE 40 _start\n");
}
END_TEST

START_TEST(test_exec_of_a_program_without_symbols)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "execve");
	stop(&p, 1020, BRANCH_SYSCALL, "execve+7");
	start(&p, 1030, "?400000");
	play_expect(&p, "B 0 main\nB 10 execve\nB 20 [syscall]\nE 30 [syscall]\nE 30 execve\n"
			"E 30 main\nB 30 [unknown]\nE 30 [unknown]\n");
}
END_TEST

START_TEST(test_start_elsewhere)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "g");
	stop(&p, 1030, BRANCH_NONE, "g+4");
	start(&p, 1040, "f+20"); /* in a function further down */
	stop(&p, 1050, BRANCH_NONE, "f+24");
	start(&p, 1060, "h+20"); /* in one that was not there */
	stop(&p, 1070, BRANCH_RETURN, "h+24");
	start(&p, 1080, "main+9"); /* where f was called */
	play_expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 [untraced]\nE 40 [untraced]\nE 40 g\n"
			"B 50 [untraced]\nE 60 [untraced]\nE 60 f\nB 60 h\nB 70 [returned]\n"
			"E 80 [returned]\nE 80 h\nE 80 main\n");
}
END_TEST

START_TEST(test_start_without_an_end)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	start(&p, 1020, "f+3");
	start(&p, 1030, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_reference)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference = true;
	start(&p, 1000, "main");
	play_call_at(&p, 1010, "main+4", "f");
	stop(&p, 1020, BRANCH_NONE, "f+4");
	start(&p, 1030, "handler");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 [untraced]\nE 30 [untraced]\nE 30 f\nE 30 main\n");
}
END_TEST

SUITE_MAIN("stack/resume", test_signal, test_handler_that_begins_behind_a_call,
	   test_handler_that_begins_behind_the_interrupted_place,
	   test_signal_that_waited_for_a_handler, test_signal_left_by_a_longjmp,
	   test_signal_with_the_kernel_traced, test_system_call_made_again, test_exec,
	   test_exec_of_a_program_without_symbols, test_start_elsewhere, test_start_without_an_end,
	   test_reference)
