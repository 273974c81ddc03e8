/* SPDX-License-Identifier: MIT */
/*
 * In f and g, from 16 to 64 a is inlined, and in that from 32 to 48 b; from 80 to 96 c. Events are
 * 10 ns apart; main begins at 0.
 */
#include "stack/inlining.h"

#include "support/play.h"
#include "support/suite.h"

static void add(struct play *p, struct inlined_place *out, uint64_t scope, const char *name)
{
	out->all[out->n++] = (struct inlined_function){
		.unit = 1, .scope = scope, .name = intern_add(p->names, str_of(name))
	};
}

static void clip(struct inlined_place *out, uint64_t base, uint64_t start, uint64_t end)
{
	out->start = base + start;
	out->end = base + end;
}

static void inlined(void *ctx, int32_t pid, const struct location *place, struct inlined_place *out)
{
	struct play *p = ctx;
	uint64_t base = place->addr - place->off, off = place->off;
	struct str name = intern_str(p->names, place->sym);

	ck_assert_int_eq(pid, 7);
	if (!str_eq(name, STR("f")) && !str_eq(name, STR("g")))
		return;
	if (off >= 16 && off < 64)
		add(p, out, 1, "a");
	if (off < 16)
		clip(out, base, 0, 16);
	else if (off < 32)
		clip(out, base, 16, 32);
	else if (off < 48)
		clip(out, base, 32, 48);
	else if (off < 64)
		clip(out, base, 48, 64);
	else if (off < 80)
		clip(out, base, 64, 80);
	else if (off < 96)
		clip(out, base, 80, 96);
	if (off >= 32 && off < 48)
		add(p, out, 2, "b");
	if (off >= 80 && off < 96)
		add(p, out, 3, "c");
}

static void set_up(struct play *p)
{
	play_init(p, SCOPE_USER);
	p->config.inlined = inlined;
	p->config.ctx = p;
}

static void begin(struct play *p)
{
	play_branch(p, 1000, TRACE_START, BRANCH_NONE, "", "main");
}

static void go(struct play *p, int64_t t, enum branch_kind kind, const char *src, const char *dst)
{
	play_branch(p, t, TRACE_ON, kind, src, dst);
}

/* A call out of two, a return into the outer one, a jump into another. */
START_TEST(test_calls_and_jumps)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JCC, "f+4", "f+32");
	go(&p, 1030, BRANCH_CALL, "f+43", "h");
	go(&p, 1040, BRANCH_RETURN, "h+9", "f+48");
	go(&p, 1050, BRANCH_JMP, "f+50", "f+80");
	go(&p, 1060, BRANCH_JMP, "f+90", "f+100");
	go(&p, 1070, BRANCH_RETURN, "f+110", "main+9");
	play_expect(&p,
		    "B 0 main\nB 10 f\nB 20 a*\nB 20 b*\nB 30 h\nE 40 h\nE 40 b\nE 50 a\nB 50 c*\n"
		    "E 60 c\nE 70 f\nE 70 main\n");
}
END_TEST

/* Control comes into b, with no branch, on its way to the call. */
START_TEST(test_going_on_into_code)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1100, BRANCH_CALL, "main+4", "f");
	go(&p, 1200, BRANCH_CALL, "f+44", "h");
	go(&p, 1300, BRANCH_RETURN, "h+9", "f+49");
	go(&p, 1400, BRANCH_RETURN, "f+72", "main+9");
	/* by work, in instructions of four bytes: 9 of 13 up to b; 4 of 7 up to the end of a */
	play_expect(&p,
		    "B 0 main\nB 100 f\nB 169 a*\nB 169 b*\nB 200 h\nE 300 h\nE 300 b\nE 357 a\n"
		    "E 400 f\nE 400 main\n");
}
END_TEST

START_TEST(test_recursion)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+20");
	go(&p, 1030, BRANCH_CALL, "f+24", "f");
	go(&p, 1040, BRANCH_JMP, "f+4", "f+20");
	go(&p, 1050, BRANCH_JMP, "f+28", "f+70");
	go(&p, 1060, BRANCH_RETURN, "f+74", "f+29");
	go(&p, 1070, BRANCH_JMP, "f+30", "f+70");
	go(&p, 1080, BRANCH_RETURN, "f+74", "main+9");
	play_expect(&p,
		    "B 0 main\nB 10 f\nB 20 a*\nB 30 f\nB 40 a*\nE 50 a\nE 60 f\nE 70 a\nE 80 f\n"
		    "E 80 main\n");
}
END_TEST

START_TEST(test_tail_call)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+33");
	go(&p, 1030, BRANCH_JMP, "f+40", "g");
	go(&p, 1040, BRANCH_JMP, "g+4", "g+33");
	go(&p, 1050, BRANCH_RETURN, "g+40", "main+9");
	play_expect(
		&p,
		"B 0 main\nB 10 f\nB 20 a*\nB 20 b*\nE 30 b\nE 30 a\nE 30 f\nB 30 g\nB 40 a*\nB 40 b*\n"
		"E 50 b\nE 50 a\nE 50 g\nE 50 main\n");
}
END_TEST

/* A landing pad that is in a, while the call was in b. */
START_TEST(test_exception)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+33");
	go(&p, 1030, BRANCH_CALL, "f+40", "g");
	go(&p, 1040, BRANCH_JMP, "g+4", "g+33");
	go(&p, 1050, BRANCH_CALL, "g+36", "throw");
	go(&p, 1060, BRANCH_RETURN, "throw+99", "f+52");
	go(&p, 1070, BRANCH_JMP, "f+54", "f+70");
	go(&p, 1080, BRANCH_RETURN, "f+74", "main+9");
	play_expect(&p, "B 0 main\nB 10 f\nB 20 a*\nB 20 b*\nB 30 g\nB 40 a*\nB 40 b*\nB 50 throw\n"
			"E 60 throw\nE 60 b\nE 60 a\nE 60 g\nE 60 b\nE 70 a\nE 80 f\nE 80 main\n");
}
END_TEST

/* Tracing stops in b and goes on in a signal's handler, which returns. */
START_TEST(test_signal)
{
	struct play p;

	set_up(&p);
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+33");
	play_branch(&p, 1030, TRACE_END, BRANCH_HW_INT, "f+40", "");
	play_branch(&p, 1040, TRACE_START, BRANCH_NONE, "", "handler");
	go(&p, 1050, BRANCH_RETURN, "handler+4", "restore");
	play_branch(&p, 1060, TRACE_END, BRANCH_SYSCALL, "restore+4", "");
	play_branch(&p, 1070, TRACE_START, BRANCH_NONE, "", "f+40");
	go(&p, 1080, BRANCH_JMP, "f+44", "f+70");
	play_expect(
		&p,
		"B 0 main\nB 10 f\nB 20 a*\nB 20 b*\nB 30 [untraced]\nE 40 [untraced]\nB 40 handler\n"
		"E 50 handler\nB 50 restore\nE 60 restore\nB 60 [syscall]\nE 70 [syscall]\n"
		"E 80 b\nE 80 a\nE 80 f\nE 80 main\n");
}
END_TEST

/* The trace begins and ends in b. */
START_TEST(test_beginning_and_end)
{
	struct play p;

	set_up(&p);
	play_branch(&p, 1000, TRACE_START, BRANCH_NONE, "", "f+36");
	go(&p, 1010, BRANCH_CALL, "f+40", "h");
	play_expect(&p, "B 0 f\nB 0 a*\nB 0 b*\nB 10 h\nE 10 h\nE 10 b\nE 10 a\nE 10 f\n");
}
END_TEST

/* They count for the limit of depth, and are left out beyond it. */
START_TEST(test_depth)
{
	struct play p;

	set_up(&p);
	p.config.max_depth = 3;
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+33");
	go(&p, 1030, BRANCH_CALL, "f+40", "h");
	go(&p, 1040, BRANCH_RETURN, "h+4", "f+45");
	go(&p, 1050, BRANCH_JMP, "f+46", "f+70");
	go(&p, 1060, BRANCH_RETURN, "f+74", "main+9");
	ck_assert_uint_eq(stacks_stats(p.stacks)->hidden, 2);
	ck_assert_uint_eq(stacks_stats(p.stacks)->inlined, 2);
	play_expect(&p, "B 0 main\nB 10 f\nB 20 a*\nE 50 a +2\nE 60 f\nE 60 main\n");
}
END_TEST

/* A region of the filter begins in h, called from b. */
START_TEST(test_filter)
{
	struct play p;

	set_up(&p);
	p.config.filter_start = STR("h");
	p.config.filter_stop = STR("i");
	begin(&p);
	go(&p, 1010, BRANCH_CALL, "main+4", "f");
	go(&p, 1020, BRANCH_JMP, "f+4", "f+33");
	go(&p, 1030, BRANCH_CALL, "f+40", "h");
	go(&p, 1040, BRANCH_RETURN, "h+4", "f+45");
	go(&p, 1050, BRANCH_CALL, "f+60", "i");
	play_expect(&p,
		    "B 30 main inf\nB 30 f inf\nB 30 a* inf\nB 30 b* inf\nB 30 h\nE 40 h\nE 50 b\n"
		    "E 50 a\nE 50 f\nE 50 main\n");
}
END_TEST

SUITE_MAIN("inlining", test_calls_and_jumps, test_going_on_into_code, test_recursion,
	   test_tail_call, test_exception, test_signal, test_beginning_and_end, test_depth,
	   test_filter)
