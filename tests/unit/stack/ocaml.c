/* SPDX-License-Identifier: MIT */
#include "stack/ocaml.h"

#include "support/play.h"
#include "support/suite.h"

/* Without the handlers' addresses, by the rules of the OCaml program: frames are counted. */
START_TEST(test_raise_by_reference)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.reference = true;
	play_call(&p, 1000, "main");
	play_call(&p, 1010, "camlA");
	play_call(&p, 1020, "camlB");
	play_call(&p, 1030, "caml_raise_exn");
	play_call(&p, 1040, "caml_stash_backtrace");
	play_call(&p, 1050, "caml_next_frame_descriptor");
	play_return(&p, 1060, "caml_stash_backtrace+9");
	play_call(&p, 1070, "caml_next_frame_descriptor");
	play_return(&p, 1080, "caml_stash_backtrace+9");
	play_return(&p, 1090, "caml_raise_exn+9");
	/* three frames of the runtime were counted: two are dropped, and raise_exn itself */
	play_return(&p, 1100, "main+9");
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nB 10 camlA\nB 20 camlB\nB 30 caml_raise_exn\n"
			 "B 40 caml_stash_backtrace\nB 50 caml_next_frame_descriptor\n"
			 "E 60 caml_next_frame_descriptor\nB 70 caml_next_frame_descriptor\n"
			 "E 80 caml_next_frame_descriptor\nE 90 caml_stash_backtrace\n"
			 "E 100 caml_raise_exn\nE 100 camlB\nE 100 camlA\nE 100 main\n");
	play_fini(&p);
}
END_TEST

/* By ours, the handler is where control lands; no backtrace is made here that could be counted. */
START_TEST(test_raise_without_addresses)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	play_call(&p, 1000, "main");
	play_branch(&p, 1010, TRACE_ON, BRANCH_CALL, "main+4", "camlA");
	play_branch(&p, 1020, TRACE_ON, BRANCH_CALL, "camlA+4", "camlB");
	play_branch(&p, 1030, TRACE_ON, BRANCH_CALL, "camlB+4", "caml_raise_exn");
	play_return(&p, 1040, "camlA+50");
	play_branch(&p, 1050, TRACE_ON, BRANCH_CALL, "camlA+60", "caml_raise_exn");
	play_return(&p, 1060, "camlA+70");
	play_return(&p, 1070, "main+9");
	play_branch(&p, 1080, TRACE_ON, BRANCH_CALL, "main+20", "caml_raise_exn");
	play_return(&p, 1090, "camlC+50"); /* was there before the trace began */
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 camlC inf\nB 0 main\nB 10 camlA\nB 20 camlB\nB 30 caml_raise_exn\n"
			 "E 40 caml_raise_exn\nE 40 camlB\nB 50 caml_raise_exn\n"
			 "E 60 caml_raise_exn\nE 70 camlA\nB 80 caml_raise_exn\n"
			 "E 90 caml_raise_exn\nE 90 main\nE 90 camlC\n");
	play_fini(&p);
}
END_TEST

/* A place with an address of its own in a function at 0x1000. */
static struct location at(struct play *p, uint64_t addr)
{
	return (struct location){ .addr = addr,
				  .off = addr - 0x1000,
				  .sym = intern_add(p->names, STR("f")) };
}

static void branch(struct play *p, int64_t t, enum branch_kind kind, struct location src,
		   struct location dst)
{
	struct event ev = { .kind = EVENT_BRANCH, .has_time = true, .time = t };

	ev.branch.kind = kind;
	ev.branch.src = src;
	ev.branch.dst = dst;
	play_event(p, &ev);
}

static void jump(struct play *p, int64_t t, struct location src, struct location dst)
{
	branch(p, t, BRANCH_JMP, src, dst);
}

static const uint64_t push_at[] = { 0x1010 }, pop_at[] = { 0x1050 }, enter_at[] = { 0x1080 };
static const struct ocaml_traps traps = {
	.push = push_at,
	.n_push = 1,
	.pop = pop_at,
	.n_pop = 1,
	.enter = enter_at,
	.n_enter = 1,
};

/* main calls f, which passes the address where it puts its handler there. */
static void under_handler(struct play *p)
{
	play_init(p, SCOPE_USER);
	p->config.traps = &traps;
	play_call(p, 1000, "main");
	jump(p, 1010, play_place(p, "main+4"), at(p, 0x1000));
	jump(p, 1020, at(p, 0x1018), at(p, 0x1020));
}

START_TEST(test_handler_entered)
{
	struct play p;

	under_handler(&p);
	play_call(&p, 1030, "g");
	play_call(&p, 1040, "h");
	jump(&p, 1050, play_place(&p, "h+4"), at(&p, 0x1080));
	jump(&p, 1060, at(&p, 0x1084), at(&p, 0x1090));
	/* g and h end when the handler is entered, f goes on */
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nE 10 main\nB 10 f\nB 30 g\nB 40 h\nE 50 h\nE 50 g\nE 60 f\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->bad_poptraps, 0);
	play_fini(&p);
}
END_TEST

/* As OCaml's code does it. Then f returns to who called main, not to what ran under the handler. */
START_TEST(test_handler_entered_by_a_return)
{
	struct play p;

	under_handler(&p);
	branch(&p, 1030, BRANCH_CALL, at(&p, 0x1028), play_place(&p, "g"));
	play_branch(&p, 1040, TRACE_ON, BRANCH_CALL, "g+4", "h");
	branch(&p, 1050, BRANCH_RETURN, play_place(&p, "h+8"), at(&p, 0x1080));
	branch(&p, 1070, BRANCH_RETURN, at(&p, 0x1090), play_place(&p, "start+9"));
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 start inf\nB 0 main\nE 10 main\nB 10 f\nB 30 g\nB 40 h\nE 50 h\n"
			 "E 50 g\nE 70 f\nE 70 start\n");
	play_fini(&p);
}
END_TEST

START_TEST(test_handler_taken_away)
{
	struct play p;

	under_handler(&p);
	play_call(&p, 1030, "g");
	play_return(&p, 1040, "f"); /* the return address is in f, see play_place */
	jump(&p, 1050, at(&p, 0x1040), at(&p, 0x1044));
	jump(&p, 1060, at(&p, 0x1058), at(&p, 0x1060));
	ck_assert_str_eq(play_end_sorted(&p),
			 "B 0 main\nE 10 main\nB 10 f\nB 30 g\nE 40 g\nE 60 f\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->bad_poptraps, 0);
	play_fini(&p);
}
END_TEST

START_TEST(test_handler_put_there_before_the_trace)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.traps = &traps;
	jump(&p, 1000, at(&p, 0x1020), at(&p, 0x1024));
	jump(&p, 1010, at(&p, 0x1058), at(&p, 0x1060)); /* poptrap: nothing to take away */
	play_call(&p, 1020, "g");
	jump(&p, 1030, play_place(&p, "g+4"), at(&p, 0x1080));
	ck_assert_str_eq(play_end_sorted(&p), "B 0 f inf\nB 20 g\nE 30 g\nE 30 f\n");
	ck_assert_uint_eq(stacks_stats(p.stacks)->bad_poptraps, 1);
	play_fini(&p);
}
END_TEST

START_TEST(test_error_forgets_where_code_ran)
{
	struct play p;

	play_init(&p, SCOPE_USER);
	p.config.traps = &traps;
	jump(&p, 1000, at(&p, 0x1000), at(&p, 0x1004));
	play_error(&p, 1010, "Lost trace data");
	jump(&p, 1020, at(&p, 0x1060), at(&p, 0x1064));
	ck_assert_uint_eq(stacks_stats(p.stacks)->bad_poptraps, 0);
	jump(&p, 1030, at(&p, 0x1068), at(&p, 0x1040));
	jump(&p, 1040, at(&p, 0x1058), at(&p, 0x1060));
	ck_assert_uint_eq(stacks_stats(p.stacks)->bad_poptraps, 1);
	play_fini(&p);
}
END_TEST

SUITE_MAIN("stack/ocaml", test_raise_by_reference, test_raise_without_addresses,
	   test_handler_entered, test_handler_entered_by_a_return, test_handler_taken_away,
	   test_handler_put_there_before_the_trace, test_error_forgets_where_code_ran)
