/* SPDX-License-Identifier: MIT */
/* One test a way in which control comes somewhere. Events are 10 ns apart; main begins at 0. */
#include "stack/landing.h"

#include "support/play.h"
#include "support/suite.h"

START_TEST(test_recursion_loses_no_frame)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "f");
	play_return(&p, 1030, "f+9");
	play_return(&p, 1040, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nE 40 f\nE 40 main\n");
}
END_TEST

START_TEST(test_return_over_frames)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "g");
	play_call_at(&p, 1030, "g+4", "h");
	play_return(&p, 1040, "main+9"); /* not behind g+4: where f was called */
	play_call_at(&p, 1050, "main+20", "f");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 h\nE 40 h\nE 40 g\nE 40 f\nB 50 f\nE 50 f\n"
			"E 50 main\n");
}
END_TEST

START_TEST(test_landing_pad)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "g");
	play_call_at(&p, 1030, "g+4", "throw");
	play_return(&p, 1040, "f+100");
	play_call_at(&p, 1050, "f+110", "catch");
	play_return(&p, 1060, "f+115");
	play_return(&p, 1070, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 g\nB 30 throw\nE 40 throw\nE 40 g\nB 50 catch\n"
			"E 60 catch\nE 70 f\nE 70 main\n");
}
END_TEST

START_TEST(test_landing_pad_in_a_part_elsewhere)
{
	struct location cold = { .addr = 0x900000 };
	struct event ev = { .kind = EVENT_BRANCH, .has_time = true, .time = 1030 };
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "throw");
	/* the first byte of "f.cold", which perf calls f */
	cold.sym = intern_add(p.names, STR("f"));
	ev.branch.kind = BRANCH_RETURN;
	ev.branch.dst = cold;
	play_event(&p, &ev);
	play_expect(&p, "B 0 main\nB 10 f\nB 20 throw\nE 30 throw\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_unwinding_goes_on_in_another_frame)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "f");
	play_call_at(&p, 1030, "f+4", "throw");
	play_jump(&p, 1040, "f+100"); /* cleans up */
	play_call_at(&p, 1050, "f+110", "_Unwind_Resume");
	play_jump(&p, 1060, "f+100"); /* of the caller, by the same code */
	play_return(&p, 1070, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nB 30 throw\nE 40 throw\nB 50 _Unwind_Resume\n"
			"E 60 _Unwind_Resume\nE 60 f\nE 70 f\nE 70 main\n");
}
END_TEST

START_TEST(test_unwinding_to_a_frame_never_seen)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "longjmp");
	play_jump(&p, 1020, "elsewhere+9");
	play_expect(&p, "B 0 elsewhere inf\nB 0 main\nB 10 longjmp\nE 20 longjmp\nE 20 main\n"
			"E 20 elsewhere\n");
}
END_TEST

/* What the program's own stack does not have, the program began on another one. */
START_TEST(test_unwinding_to_another_stack)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "_start");
	play_call_at(&p, 1010, "_start+4", "longjmp");
	play_jump(&p, 1020, "elsewhere+9");
	play_call_at(&p, 1030, "elsewhere+20", "longjmp");
	play_jump(&p, 1040, "_start+30");
	play_expect(&p, "B 0 _start\nB 10 longjmp\nB 20 elsewhere\nB 30 longjmp\nE 40 longjmp\n"
			"E 40 elsewhere\nE 40 longjmp\nE 40 _start\n");
}
END_TEST

START_TEST(test_jump_to_a_part_and_back)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "f");
	play_jump(&p, 1030, "f.cold");
	play_jump(&p, 1040, "f+30"); /* the inner f, not the outer one */
	play_return(&p, 1050, "f+9");
	play_return(&p, 1060, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nB 30 f.cold\nE 40 f.cold\nB 40 f\n"
			"E 50 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_jump_back_to_where_an_outer_frame_would_return)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "f");
	play_jump(&p, 1030, "f.cold");
	play_jump(&p, 1040, "f+9"); /* behind the call of the outer f */
	play_return(&p, 1050, "f+9");
	play_return(&p, 1060, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nE 30 f\nB 30 f.cold\nE 40 f.cold\nB 40 f\n"
			"E 50 f\nE 60 f\nE 60 main\n");
}
END_TEST

START_TEST(test_jumps_without_symbols_stay)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "?1000");
	play_call_at(&p, 1020, "?1010", "?1000");
	play_jump(&p, 1030, "?1015"); /* behind the call of the outer one: a loop */
	play_return(&p, 1040, "?1015");
	play_return(&p, 1050, "main+9");
	play_expect(&p, "B 0 main\nB 10 [unknown]\nB 20 [unknown]\nE 30 [unknown]\n"
			"B 30 [unknown]\nE 40 [unknown]\nE 40 [unknown]\nB 40 [unknown]\n"
			"E 50 [unknown]\nE 50 main\n");
}
END_TEST

START_TEST(test_return_address_pushed_by_hand)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_jump(&p, 1020, "g");
	play_return(&p, 1030, "f+30");
	play_return(&p, 1040, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nE 20 f\nB 20 g\nE 30 g\nB 30 f\nE 40 f\nE 40 main\n");
}
END_TEST

/* a ends ten bytes behind its call of swap, and b begins there. */
START_TEST(test_function_that_begins_close_behind_a_call)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "a");
	intern_add(p.names, STR("b")); /* its page is the next one */
	play_call_at(&p, 1020, "a+4086", "swap");
	play_return(&p, 1030, "b"); /* so this is another stack */
	play_expect(&p,
		    "B 0 main\nB 10 a\nB 20 swap\nB 30 b\nE 30 b\nE 30 swap\nE 30 a\nE 30 main\n");
}
END_TEST

START_TEST(test_call_into_its_own_middle)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "thunk");
	play_call_at(&p, 1020, "thunk", "thunk+7");
	play_return(&p, 1030, "f"); /* the return address was overwritten */
	play_return(&p, 1040, "main+9");
	play_expect(&p, "B 0 main\nB 10 thunk\nB 20 thunk\nE 30 thunk\nE 30 thunk\nB 30 f\nE 40 f\n"
			"E 40 main\n");
}
END_TEST

START_TEST(test_call_of_the_next_instruction)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "main+9");
	play_call_at(&p, 1020, "main+20", "f");
	play_return(&p, 1030, "main+25");
	play_expect(&p, "B 0 main\nB 20 f\nE 30 f\nE 30 main\n");
}
END_TEST

START_TEST(test_reference)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference = true;
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "longjmp");
	play_jump(&p, 1030, "main+40");
	play_expect(&p,
		    "B 0 main\nB 10 f\nB 20 longjmp\nE 30 longjmp\nB 30 main\nE 30 main\nE 30 f\n"
		    "E 30 main\n");
}
END_TEST

/* Where f catches is but two bytes behind its call of itself: it has not returned for that. */
START_TEST(test_catches_close_behind_a_call)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+20", "f");
	play_call_at(&p, 1030, "f+8", "_Unwind_RaiseException");
	play_return(&p, 1040, "f+27");
	play_call_at(&p, 1050, "f+30", "g");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nB 30 _Unwind_RaiseException\n"
			"E 40 _Unwind_RaiseException\nB 50 g\nE 50 g\nE 50 f\nE 50 f\nE 50 main\n");
}
END_TEST

/* A function of another file with the same name is another one. */
START_TEST(test_jumps_to_a_namesake)
{
	struct event ev = { .kind = EVENT_BRANCH, .has_time = true, .time = 1020 };
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	ev.branch.kind = BRANCH_JMP;
	ev.branch.dst = play_place(&p, "f");
	play_event(&p, &ev); /* to itself */
	ev.branch.src = ev.branch.dst;
	ev.branch.dst.addr += 0x100000;
	ev.branch.dst.dso = intern_add(p.names, STR("other"));
	ev.branch.src.addr += 15;
	ev.time = 1025;
	play_event(&p, &ev); /* of a slot of the PLT */
	ev.branch.src.addr++;
	ev.time = 1030;
	play_event(&p, &ev);
	play_return(&p, 1040, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nE 30 f\nB 30 f\nE 40 f\nE 40 main\n");
}
END_TEST

/* A thread exits: each f cleans up, and lets the unwinding go on. */
START_TEST(test_cleans_up_and_goes_on)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+20", "f");
	play_call_at(&p, 1030, "f+8", "pthread_exit");
	play_call_at(&p, 1040, "pthread_exit+8", "__libc_longjmp");
	play_jump(&p, 1050, "f+60");
	play_call_at(&p, 1060, "f+80", "___pthread_unwind_next");
	play_call_at(&p, 1070, "___pthread_unwind_next+4", "__libc_longjmp");
	play_jump(&p, 1080, "f+60");
	play_call_at(&p, 1090, "f+80", "___pthread_unwind_next");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nB 30 pthread_exit\nB 40 __libc_longjmp\n"
			"E 50 __libc_longjmp\nE 50 pthread_exit\nB 60 ___pthread_unwind_next\n"
			"B 70 __libc_longjmp\nE 80 __libc_longjmp\nE 80 ___pthread_unwind_next\n"
			"E 80 f\nB 90 ___pthread_unwind_next\nE 90 ___pthread_unwind_next\nE 90 f\n"
			"E 90 main\n");
}
END_TEST

SUITE_MAIN("stack/landing", test_recursion_loses_no_frame, test_return_over_frames,
	   test_landing_pad, test_landing_pad_in_a_part_elsewhere,
	   test_unwinding_goes_on_in_another_frame, test_unwinding_to_a_frame_never_seen,
	   test_unwinding_to_another_stack, test_jump_to_a_part_and_back,
	   test_jump_back_to_where_an_outer_frame_would_return, test_jumps_without_symbols_stay,
	   test_return_address_pushed_by_hand, test_function_that_begins_close_behind_a_call,
	   test_call_into_its_own_middle, test_call_of_the_next_instruction, test_reference,
	   test_catches_close_behind_a_call, test_jumps_to_a_namesake, test_cleans_up_and_goes_on)
