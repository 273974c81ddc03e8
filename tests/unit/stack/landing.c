/* SPDX-License-Identifier: MIT */
/* One test a way in which control comes somewhere. Events are 10 ns apart; main begins at 0. */
#include "stack/landing.h"

#include "support/play.h"
#include "support/suite.h"

static void begin(struct play *p)
{
	play_init(p, SCOPE_USER);
	play_branch(p, 1000, TRACE_START, BRANCH_NONE, "", "main");
}

static void call(struct play *p, int64_t t, const char *src, const char *dst)
{
	play_branch(p, t, TRACE_ON, BRANCH_CALL, src, dst);
}

static void stop(struct play *p, int64_t t, enum branch_kind kind, const char *src)
{
	play_branch(p, t, TRACE_END, kind, src, "");
}

static void start(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_START, BRANCH_NONE, "", dst);
}

static void expect(struct play *p, const char *text)
{
	ck_assert_str_eq(play_end_sorted(p), text);
	play_fini(p);
}

START_TEST(test_recursion_loses_no_frame)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "f");
	play_return(&p, 1030, "f+9");
	play_return(&p, 1040, "main+9");
	expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nE 40 f\nE 40 main\n");
}
END_TEST

START_TEST(test_return_over_frames)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "g");
	call(&p, 1030, "g+4", "h");
	play_return(&p, 1040, "main+9"); /* not behind g+4: where f was called */
	call(&p, 1050, "main+20", "f");
	expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 h\nE 40 h\nE 40 g\nE 40 f\nB 50 f\nE 50 f\n"
		   "E 50 main\n");
}
END_TEST

START_TEST(test_landing_pad)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "g");
	call(&p, 1030, "g+4", "throw");
	play_return(&p, 1040, "f+100");
	call(&p, 1050, "f+110", "catch");
	play_return(&p, 1060, "f+115");
	play_return(&p, 1070, "main+9");
	expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 throw\nE 40 throw\nE 40 g\nB 50 catch\n"
		   "E 60 catch\nE 70 f\nE 70 main\n");
}
END_TEST

START_TEST(test_landing_pad_in_a_part_elsewhere)
{
	struct location cold = { .addr = 0x900000 };
	struct event ev = { .kind = EVENT_BRANCH, .has_time = true, .time = 1030 };
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "throw");
	/* the first byte of "f.cold", which perf calls f */
	cold.sym = intern_add(p.names, STR("f"));
	ev.branch.kind = BRANCH_RETURN;
	ev.branch.dst = cold;
	play_event(&p, &ev);
	expect(&p, "B 0 main\nB 10 f\nB 20 throw\nE 30 throw\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_unwinding_goes_on_in_another_frame)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "f");
	call(&p, 1030, "f+4", "throw");
	play_jump(&p, 1040, "f+100"); /* cleans up */
	call(&p, 1050, "f+110", "_Unwind_Resume");
	play_jump(&p, 1060, "f+100"); /* of the caller, by the same code */
	play_return(&p, 1070, "main+9");
	expect(&p, "B 0 main\nB 10 f\nB 20 f\nB 30 throw\nE 40 throw\nB 50 _Unwind_Resume\n"
		   "E 60 _Unwind_Resume\nE 60 f\nE 70 f\nE 70 main\n");
}
END_TEST

START_TEST(test_unwinding_to_a_frame_never_seen)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "longjmp");
	play_jump(&p, 1020, "elsewhere+9");
	expect(&p, "B 0 elsewhere inf\nB 0 main\nB 10 longjmp\nE 20 longjmp\nE 20 main\n"
		   "E 20 elsewhere\n");
}
END_TEST

START_TEST(test_jump_to_a_part_and_back)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "f");
	play_jump(&p, 1030, "f.cold");
	play_jump(&p, 1040, "f+30"); /* the inner f, not the outer one */
	play_return(&p, 1050, "f+9");
	play_return(&p, 1060, "main+9");
	expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nB 30 f.cold\nE 40 f.cold\nB 40 f\n"
		   "E 50 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_jump_back_to_where_an_outer_frame_would_return)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "f");
	play_jump(&p, 1030, "f.cold");
	play_jump(&p, 1040, "f+9"); /* behind the call of the outer f */
	play_return(&p, 1050, "f+9");
	play_return(&p, 1060, "main+9");
	expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nB 30 f.cold\nE 40 f.cold\nB 40 f\n"
		   "E 50 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_jumps_without_symbols_stay)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "?1000");
	call(&p, 1020, "?1010", "?1000");
	play_jump(&p, 1030, "?1015"); /* behind the call of the outer one: a loop */
	play_return(&p, 1040, "?1015");
	play_return(&p, 1050, "main+9");
	expect(&p, "B 0 main\nB 10 [unknown]\nB 20 [unknown]\nE 30 [unknown]\n"
		   "B 30 [unknown]\nE 40 [unknown]\nE 40 [unknown]\nB 40 [unknown]\n"
		   "E 50 [unknown]\nE 50 main\n");
}
END_TEST

START_TEST(test_return_address_pushed_by_hand)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	play_jump(&p, 1020, "g");
	play_return(&p, 1030, "f+30");
	play_return(&p, 1040, "main+9");
	expect(&p, "B 0 main\nB 10 f\nE 20 f\nB 20 g\nE 30 g\nB 30 f\nE 40 f\nE 40 main\n");
}
END_TEST

/* a ends ten bytes behind its call of swap, and b begins there. */
START_TEST(test_function_that_begins_close_behind_a_call)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "a");
	intern_add(p.names, STR("b")); /* its page is the next one */
	call(&p, 1020, "a+4086", "swap");
	play_return(&p, 1030, "b"); /* so this is another stack */
	expect(&p, "B 0 main\nB 10 a\nB 20 swap\nB 30 b\nE 30 b\nE 30 swap\nE 30 a\nE 30 main\n");
}
END_TEST

START_TEST(test_call_into_its_own_middle)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "thunk");
	call(&p, 1020, "thunk", "thunk+7");
	play_return(&p, 1030, "f"); /* the return address was overwritten */
	play_return(&p, 1040, "main+9");
	expect(&p, "B 0 main\nB 10 thunk\nB 20 thunk\nE 30 thunk\nE 30 thunk\nB 30 f\nE 40 f\n"
		   "E 40 main\n");
}
END_TEST

START_TEST(test_call_of_the_next_instruction)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "main+9");
	call(&p, 1020, "main+20", "f");
	play_return(&p, 1030, "main+25");
	expect(&p, "B 0 main\nB 20 f\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_signal)
{
	struct play p;

	begin(&p);
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
	call(&p, 1110, "main+8", "f");
	expect(&p, "B 0 main\nB 10 [untraced]\nE 20 [untraced]\nB 20 handler sig\n"
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

	begin(&p);
	call(&p, 1010, "main+4", "f");
	intern_add(p.names, STR("h")); /* its page is the next one */
	call(&p, 1020, "f+4091", "abort");
	stop(&p, 1030, BRANCH_SYSCALL, "abort+9");
	start(&p, 1040, "h");
	play_return(&p, 1050, "restorer");
	expect(&p, "B 0 main\nB 10 f\nB 20 abort\nB 30 [syscall]\nE 40 [syscall]\nB 40 h\nE 50 h\n"
		   "B 50 restorer\nE 50 restorer\nE 50 abort\nE 50 f\nE 50 main\n");
}
END_TEST

START_TEST(test_signal_that_waited_for_a_handler)
{
	struct play p;

	begin(&p);
	stop(&p, 1010, BRANCH_ASYNC, "main+4");
	start(&p, 1020, "handler");
	play_return(&p, 1030, "restorer");
	stop(&p, 1040, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1050, "other");
	play_return(&p, 1060, "restorer");
	stop(&p, 1070, BRANCH_SYSCALL, "restorer+7");
	start(&p, 1080, "main+4");
	expect(&p, "B 0 main\nB 10 [untraced]\nE 20 [untraced]\nB 20 handler\nE 30 handler\n"
		   "B 30 restorer\nE 40 restorer\nB 40 [syscall]\nE 50 [syscall]\nB 50 other\n"
		   "E 60 other\nB 60 restorer\nE 70 restorer\nB 70 [syscall]\nE 80 [syscall]\n"
		   "E 80 main\n");
}
END_TEST

START_TEST(test_signal_left_by_a_longjmp)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	stop(&p, 1020, BRANCH_SYSCALL, "f+4");
	start(&p, 1030, "handler");
	call(&p, 1040, "handler+4", "siglongjmp");
	play_jump(&p, 1050, "main+40");
	expect(&p, "B 0 main\nB 10 f\nB 20 [syscall]\nE 30 [syscall]\nB 30 handler\n"
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
	expect(&p, "B 0 main\nB 10 k_irq\nE 20 k_irq\nB 20 handler\nE 30 handler\nB 30 restorer\n"
		   "E 40 restorer\nB 40 k_entry\nE 50 k_entry\nB 60 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_system_call_made_again)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "read");
	stop(&p, 1020, BRANCH_SYSCALL, "read+4");
	start(&p, 1030, "read+4"); /* at the instruction itself, as SA_RESTART has it */
	play_return(&p, 1040, "main+9");
	expect(&p, "B 0 main\nB 10 read\nB 20 [syscall]\nE 30 [syscall]\nE 40 read\nE 40 main\n");
}
END_TEST

START_TEST(test_exec)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "execve");
	stop(&p, 1020, BRANCH_SYSCALL, "execve+7");
	start(&p, 1030, "_start");
	call(&p, 1040, "_start+4", "f");
	expect(&p, "B 0 main\nB 10 execve\nB 20 [syscall]\nE 30 [syscall]\nE 30 execve\n"
		   "E 30 main\nB 30 _start\nB 40 f\nE 40 f\nE 40 _start\n");
}
END_TEST

START_TEST(test_exec_of_a_program_without_symbols)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "execve");
	stop(&p, 1020, BRANCH_SYSCALL, "execve+7");
	start(&p, 1030, "?400000");
	expect(&p, "B 0 main\nB 10 execve\nB 20 [syscall]\nE 30 [syscall]\nE 30 execve\n"
		   "E 30 main\nB 30 [unknown]\nE 30 [unknown]\n");
}
END_TEST

START_TEST(test_start_elsewhere)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "g");
	stop(&p, 1030, BRANCH_NONE, "g+4");
	start(&p, 1040, "f+20"); /* in a function further down */
	stop(&p, 1050, BRANCH_NONE, "f+24");
	start(&p, 1060, "h+20"); /* in one that was not there */
	stop(&p, 1070, BRANCH_RETURN, "h+24");
	start(&p, 1080, "main+9"); /* where f was called */
	expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 [untraced]\nE 40 [untraced]\nE 40 g\n"
		   "B 50 [untraced]\nE 60 [untraced]\nE 60 f\nB 60 h\nB 70 [returned]\n"
		   "E 80 [returned]\nE 80 h\nE 80 main\n");
}
END_TEST

START_TEST(test_start_without_an_end)
{
	struct play p;

	begin(&p);
	call(&p, 1010, "main+4", "f");
	start(&p, 1020, "f+3");
	start(&p, 1030, "main+9");
	expect(&p, "B 0 main\nB 10 f\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_reference)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference = true;
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	call(&p, 1010, "main+4", "f");
	call(&p, 1020, "f+4", "longjmp");
	play_jump(&p, 1030, "main+40");
	stop(&p, 1040, BRANCH_NONE, "main+44");
	start(&p, 1050, "handler");
	expect(&p, "B 0 main\nB 10 f\nB 20 longjmp\nE 30 longjmp\nB 30 main\nB 40 [untraced]\n"
		   "E 50 [untraced]\nE 50 main\nE 50 f\nE 50 main\n");
}
END_TEST

SUITE_MAIN("stack/landing", test_recursion_loses_no_frame, test_return_over_frames,
	   test_landing_pad, test_landing_pad_in_a_part_elsewhere,
	   test_unwinding_goes_on_in_another_frame, test_unwinding_to_a_frame_never_seen,
	   test_jump_to_a_part_and_back, test_jump_back_to_where_an_outer_frame_would_return,
	   test_jumps_without_symbols_stay, test_return_address_pushed_by_hand,
	   test_function_that_begins_close_behind_a_call, test_call_into_its_own_middle,
	   test_call_of_the_next_instruction, test_signal, test_handler_that_begins_behind_a_call,
	   test_signal_that_waited_for_a_handler, test_signal_left_by_a_longjmp,
	   test_signal_with_the_kernel_traced, test_system_call_made_again, test_exec,
	   test_exec_of_a_program_without_symbols, test_start_elsewhere, test_start_without_an_end,
	   test_reference)
