/* SPDX-License-Identifier: MIT */
/* Frames over a gap: main calls f, which calls g; lost from 20 to 100. */
#include "stack/loss.h"

#include "support/play.h"
#include "support/suite.h"

static void lose(struct play *p, int64_t t, uint32_t code)
{
	struct event ev = { .kind = EVENT_ERROR, .has_time = true, .time = t };

	ev.error.code = code;
	ev.error.message = intern_add(p->names, STR("e"));
	play_event(p, &ev);
}

static void begin(struct play *p)
{
	play_init(p, SCOPE_USER);
	play_branch(p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_branch(p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "f");
	play_branch(p, 1020, TRACE_ON, BRANCH_CALL, "f+4", "g");
	lose(p, 1100, ERROR_OVERFLOW);
}

static void start(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_START, BRANCH_NONE, "", dst);
}

#define BEFORE "B 0 main\nB 10 f\nB 20 g\nX 21-100 [lost: 80 ns]\nX 100-100 [decode error: e]\n"

START_TEST(test_goes_on_in_the_same_function)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "g+8");
	play_return(&p, 1120, "f+9");
	play_return(&p, 1130, "main+9");
	play_expect(&p, BEFORE "E 120 g\nE 130 f\nE 130 main\n");
}
END_TEST

START_TEST(test_unwinding_leads_to_a_frame_from_before)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "_Unwind_RaiseException+8");
	play_return(&p, 1120, "main+40");
	play_branch(&p, 1130, TRACE_ON, BRANCH_CALL, "main+44", "h");
	play_expect(&p, BEFORE "E 100 g\nE 100 f\nB 100 _Unwind_RaiseException inf\n"
			       "E 120 _Unwind_RaiseException\nB 130 h\nE 130 h\nE 130 main\n");
}
END_TEST

START_TEST(test_goes_on_further_down)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "main+8");
	play_branch(&p, 1120, TRACE_ON, BRANCH_CALL, "main+12", "h");
	play_expect(&p, BEFORE "E 100 g\nE 100 f\nB 120 h\nE 120 h\nE 120 main\n");
}
END_TEST

START_TEST(test_confirmed_by_a_return)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "h+8");
	play_return(&p, 1120, "f+40");
	play_expect(&p, BEFORE "E 100 g\nB 100 h inf\nE 120 h\nE 120 f\nE 120 main\n");
}
END_TEST

START_TEST(test_confirmed_by_a_return_to_a_call)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "h+8");
	play_return(&p, 1120, "main+9"); /* where f was called: h took its place */
	play_expect(&p, BEFORE "E 100 g\nE 100 f\nB 100 h inf\nE 120 h\nE 120 main\n");
}
END_TEST

START_TEST(test_never_confirmed)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "h+8");
	play_return(&p, 1120, "k+9");
	play_branch(&p, 1130, TRACE_ON, BRANCH_CALL, "k+20", "h");
	play_expect(&p, BEFORE
		    "E 100 g\nE 100 f\nE 100 main\nB 100 k inf\nB 100 h inf\nE 120 h\nB 130 h\n"
		    "E 130 h\nE 130 k\n");
}
END_TEST

START_TEST(test_printed_behind_the_error)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_CALL, "f+4", "g");
	lose(&p, 1100, ERROR_LOST);
	play_return(&p, 1100, "f+9"); /* before the gap */
	play_branch(&p, 1100, TRACE_END, BRANCH_ASYNC, "f+9", "");
	start(&p, 1150, "f+20");
	play_return(&p, 1160, "main+9");
	play_expect(
		&p,
		"B 0 main\nB 10 f\nB 20 g\nE 60 g\nX 100-100 [decode error: e]\nB 100 [untraced]\n"
		"E 100 [untraced]\nX 101-150 [lost: 50 ns]\nE 160 f\nE 160 main\n");
}
END_TEST

START_TEST(test_one_of_a_recursion)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_CALL, "f+4", "f");
	lose(&p, 1100, ERROR_OVERFLOW);
	start(&p, 1110, "f+8");
	play_return(&p, 1120, "main+9"); /* so it is the outer one */
	play_expect(
		&p,
		"B 0 main\nB 10 f\nB 20 f\nX 21-100 [lost: 80 ns]\nX 100-100 [decode error: e]\n"
		"E 100 f\nE 120 f\nE 120 main\n");
}
END_TEST

START_TEST(test_what_lies_on_a_recursion)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "f");
	play_branch(&p, 1020, TRACE_ON, BRANCH_CALL, "f+4", "f");
	play_branch(&p, 1030, TRACE_ON, BRANCH_CALL, "f+4", "g");
	lose(&p, 1100, ERROR_OVERFLOW);
	start(&p, 1110, "g+8"); /* called by which f? */
	play_return(&p, 1120, "main+9");
	play_expect(
		&p,
		"B 0 main\nB 10 f\nB 20 f\nB 30 g\nX 31-100 [lost: 70 ns]\nX 100-100 [decode error: e]\n"
		"E 100 g\nE 100 f\nE 100 f\nB 100 g inf\nE 120 g\nE 120 main\n");
}
END_TEST

START_TEST(test_lost_again)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "h+8");
	lose(&p, 1200, ERROR_LOST);
	start(&p, 1210, "h+9");
	play_expect(&p, BEFORE "E 100 g\nE 100 f\nE 100 main\nB 100 h inf\n"
			       "X 111-210 [lost: 100 ns]\nX 200-200 [decode error: e]\nE 210 h\n");
}
END_TEST

START_TEST(test_other_errors_end_all)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	lose(&p, 1050, 6);
	start(&p, 1060, "main+8");
	play_expect(&p, "B 0 main\nX 50-50 [decode error: e]\nE 50 main\nB 60 main\nE 60 main\n");
}
END_TEST

START_TEST(test_where_tracing_had_stopped)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_branch(&p, 1010, TRACE_END, BRANCH_SYSCALL, "main+4", "");
	lose(&p, 1050, ERROR_LOST);
	start(&p, 1060, "main+6");
	play_branch(&p, 1070, TRACE_ON, BRANCH_CALL, "main+12", "h");
	play_expect(&p, "B 0 main\nB 10 [syscall]\nE 10 [syscall]\nX 11-60 [lost: 50 ns]\n"
			"X 50-50 [decode error: e]\nB 70 h\nE 70 h\nE 70 main\n");
}
END_TEST

START_TEST(test_not_with_the_kernel)
{
	struct play p;

	play_init(&p, SCOPE_USER_AND_KERNEL);
	play_call(&p, 1000, "main");
	lose(&p, 1050, ERROR_LOST);
	start(&p, 1060, "main+6");
	play_expect(&p, "B 0 main\nX 50-50 [decode error: e]\nE 50 main\nB 60 main\nE 60 main\n");
}
END_TEST

/* f called itself in the gap: how often it returns shows that, and nothing before that does. */
START_TEST(test_deeper_in_a_recursion)
{
	struct play p;

	play_main(&p);
	play_call_at(&p, 1010, "main+4", "f");
	play_call_at(&p, 1020, "f+4", "f");
	lose(&p, 1100, ERROR_OVERFLOW);
	start(&p, 1110, "f+20");
	play_return(&p, 1120, "f+9");
	play_return(&p, 1130, "f+9");
	play_call_at(&p, 1135, "f+12", "g");
	play_return(&p, 1136, "f+17");
	play_return(&p, 1140, "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 f\nX 21-100 [lost: 80 ns]\n"
			"X 100-100 [decode error: e]\nB 100 f inf\nE 120 f\nE 130 f\nB 135 g\n"
			"E 136 g\nE 140 f\nE 140 main\n");
}
END_TEST

/* f was left, and called again in the gap, by k: that shows when it returns. */
START_TEST(test_returns_elsewhere_than_before)
{
	struct play p;

	begin(&p);
	start(&p, 1110, "g+8");
	play_return(&p, 1120, "k+9");
	play_return(&p, 1130, "main+9");
	play_expect(&p, BEFORE "E 100 g\nE 100 f\nB 100 k inf\nB 100 g inf\nE 120 g\nE 130 k\n"
			       "E 130 main\n");
}
END_TEST

#define DEEP                                                                                      \
	"B 0 main\nB 10 f\nB 20 f\nB 30 _Unwind_RaiseException\nB 40 g\nX 41-100 [lost: 60 ns]\n" \
	"X 100-100 [decode error: e]\n"

static void begin_unwinding(struct play *p)
{
	play_main(p);
	play_call_at(p, 1010, "main+4", "f");
	play_call_at(p, 1020, "f+4", "f");
	play_call_at(p, 1030, "f+20", "_Unwind_RaiseException");
	play_call_at(p, 1040, "_Unwind_RaiseException+4", "g");
	lose(p, 1100, ERROR_OVERFLOW);
}

/* What an exception passes was there up to then. */
START_TEST(test_unwinding_passes_frames)
{
	struct play p;

	begin_unwinding(&p);
	start(&p, 1110, "h+8");
	play_return(&p, 1120, "_Unwind_RaiseException+9");
	play_return(&p, 1130, "main+40");
	play_call_at(&p, 1140, "main+44", "h");
	play_expect(&p, DEEP "E 100 g\nB 100 h inf\nE 120 h\nE 130 _Unwind_RaiseException\n"
			     "E 130 f\nE 130 f\nB 140 h\nE 140 h\nE 140 main\n");
}
END_TEST

/* Those that were between the two, but what lies below was not there before. */
START_TEST(test_unwinding_to_another_function)
{
	struct play p;

	begin_unwinding(&p);
	start(&p, 1110, "_Unwind_RaiseException+12");
	play_return(&p, 1120, "k+40");
	play_return(&p, 1130, "main+9");
	play_expect(&p,
		    DEEP "E 100 g\nE 100 _Unwind_RaiseException\nE 100 f\nE 100 f\nB 100 k inf\n"
			 "B 100 _Unwind_RaiseException inf\nE 120 _Unwind_RaiseException\n"
			 "E 130 k\nE 130 main\n");
}
END_TEST

START_TEST(test_a_handler_that_goes_on)
{
	struct play p;

	play_main(&p);
	play_branch(&p, 1010, TRACE_END, BRANCH_ASYNC, "main+4", "");
	start(&p, 1020, "on_signal");
	lose(&p, 1100, ERROR_OVERFLOW);
	start(&p, 1110, "on_signal+8");
	play_return(&p, 1120, "restore");
	play_branch(&p, 1130, TRACE_END, BRANCH_SYSCALL, "restore+4", "");
	start(&p, 1140, "main+4");
	play_call_at(&p, 1150, "main+8", "h");
	play_expect(&p, "B 0 main\nB 10 [untraced]\nE 20 [untraced]\nB 20 on_signal\n"
			"X 21-100 [lost: 80 ns]\nX 100-100 [decode error: e]\nE 120 on_signal\n"
			"B 120 restore\nE 130 restore\nB 130 [syscall]\nE 140 [syscall]\nB 150 h\n"
			"E 150 h\nE 150 main\n");
}
END_TEST

/* Tracing does not start: it went on, and a branch says where. */
START_TEST(test_located_by_a_branch)
{
	struct play p;

	begin(&p);
	play_call_at(&p, 1110, "f+12", "h");
	play_return(&p, 1120, "f+17");
	play_return(&p, 1130, "main+9");
	play_expect(&p, BEFORE "E 100 g\nB 110 h\nE 120 h\nE 130 f\nE 130 main\n");
}
END_TEST

/* Frames from before that would make what is there deeper than is shown end. */
START_TEST(test_no_room_for_what_was_there)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.max_depth = 3;
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "main");
	play_call_at(&p, 1010, "main+4", "f");
	lose(&p, 1100, ERROR_OVERFLOW);
	start(&p, 1110, "g+8");
	play_call_at(&p, 1120, "g+4", "h");
	play_return(&p, 1130, "g+9");
	play_return(&p, 1140, "f+9");
	play_expect(&p, "B 0 main\nB 10 f\nX 11-100 [lost: 90 ns]\nX 100-100 [decode error: e]\n"
			"E 100 f\nE 100 main\nB 100 f inf\nB 100 g inf\nB 120 h\nE 130 h\n"
			"E 140 g\nE 140 f\n");
}
END_TEST

SUITE_MAIN("stack/loss", test_goes_on_in_the_same_function, test_goes_on_further_down,
	   test_unwinding_leads_to_a_frame_from_before, test_confirmed_by_a_return,
	   test_confirmed_by_a_return_to_a_call, test_never_confirmed,
	   test_printed_behind_the_error, test_one_of_a_recursion, test_what_lies_on_a_recursion,
	   test_lost_again, test_other_errors_end_all, test_where_tracing_had_stopped,
	   test_not_with_the_kernel, test_returns_elsewhere_than_before,
	   test_unwinding_passes_frames, test_unwinding_to_another_function,
	   test_a_handler_that_goes_on, test_located_by_a_branch, test_no_room_for_what_was_there,
	   test_deeper_in_a_recursion)
