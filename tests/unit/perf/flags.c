/* SPDX-License-Identifier: MIT */
#include "perf/flags.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

/* The column, then an address: what it says, and that the address is next. */
static void flags_are(const char *column, enum branch_kind kind, enum trace_state state, bool in_tx)
{
	struct flags f;
	char line[200];
	struct str s;

	snprintf(line, sizeof(line), "%s 7ffd193838e0 f", column);
	s = str_of(line);
	ck_assert_msg(flags_read(&s, &f), "'%s'", column);
	ck_assert_msg(str_eq(s, STR("7ffd193838e0 f")), "'%s' left '%.*s'", column, (int)s.n, s.p);
	ck_assert_msg(f.kind == kind, "'%s' is kind %d", column, f.kind);
	ck_assert_msg(f.state == state, "'%s' is state %d", column, f.state);
	ck_assert_msg(f.in_tx == in_tx, "'%s'", column);
}

static void no_flags(const char *line)
{
	struct str s = str_of(line);
	struct flags f;

	ck_assert_msg(!flags_read(&s, &f), "'%s'", line);
	ck_assert(str_eq(s, str_of(line)));
}

/* Every type there is, alone and after both prefixes, as perf pads it before 6.15 and since. */
START_TEST(test_types)
{
	char column[100];

	for (int k = BRANCH_CALL; k < BRANCH_KINDS; k++) {
		enum branch_kind kind = (enum branch_kind)k;
		const char *word = branch_kind_word(kind);

		snprintf(column, sizeof(column), "   %-15s%6s ", word, "");
		flags_are(column, kind, TRACE_ON, false);
		snprintf(column, sizeof(column), "   tr strt %-7s%6s ", word, "");
		flags_are(column, kind == BRANCH_JMP ? BRANCH_NONE : kind, TRACE_START, false);
		snprintf(column, sizeof(column), "   tr end  %-7s%6s ", word, "");
		flags_are(column, kind, TRACE_END, false);
		snprintf(column, sizeof(column), "  %-21s", word);
		flags_are(column, kind, TRACE_ON, false);
		snprintf(column, sizeof(column), " tr end %s", word);
		flags_are(column, kind, TRACE_END, false);
	}
}
END_TEST

START_TEST(test_prefix_alone)
{
	flags_are("   tr strt               ", BRANCH_NONE, TRACE_START, false);
	flags_are("   tr end                ", BRANCH_NONE, TRACE_END, false);
	flags_are("   tr strt tr end        ", BRANCH_NONE, TRACE_ON, false);
	flags_are("   tr strt tr end  jmp   ", BRANCH_NONE, TRACE_ON, false);
	flags_are(" tr strt", BRANCH_NONE, TRACE_START, false);
}
END_TEST

START_TEST(test_no_column)
{
	flags_are("", BRANCH_NONE, TRACE_ON, false);
	flags_are("                        ", BRANCH_NONE, TRACE_ON, false);
}
END_TEST

START_TEST(test_states)
{
	flags_are("   call              (x)", BRANCH_CALL, TRACE_ON, true);
	flags_are("   return            (D)", BRANCH_RETURN, TRACE_ON, false);
	flags_are("   iret             (Dt)", BRANCH_IRET, TRACE_ON, false);
	flags_are("   jcc             (xDt)", BRANCH_JCC, TRACE_ON, true);
	flags_are("   jcc (tDx)", BRANCH_JCC, TRACE_ON, true);
	flags_are("   tr end  hw int   (xD)", BRANCH_HW_INT, TRACE_END, true);
	flags_are("   tx abrt(x)", BRANCH_TX_ABRT, TRACE_ON, true);
	flags_are("   ()", BRANCH_NONE, TRACE_ON, false);
	flags_are("   (x)", BRANCH_NONE, TRACE_ON, true);
}
END_TEST

START_TEST(test_events)
{
	flags_are("  jcc/miss,not_taken/   ", BRANCH_JCC, TRACE_ON, false);
	flags_are("  jcc/not_taken/        ", BRANCH_JCC, TRACE_ON, false);
	flags_are("  jmp/miss/   ", BRANCH_JMP, TRACE_ON, false);
	flags_are("  return/miss/   (x)", BRANCH_RETURN, TRACE_ON, true);
	flags_are("  tr end  call/miss/(x)", BRANCH_CALL, TRACE_END, true);
	flags_are("  br miss   ", BRANCH_JMP, TRACE_ON, false);
}
END_TEST

/* What perf before 6.15 prints for sets of bits that its table does not have. */
START_TEST(test_letters)
{
	flags_are("  brxE?   ", BRANCH_RETURN, TRACE_END, true);
	flags_are("  bcB   ", BRANCH_CALL, TRACE_START, false);
	flags_are("  bB?   ", BRANCH_NONE, TRACE_START, false);
	flags_are("  bcsE   ", BRANCH_SYSCALL, TRACE_END, false);
	flags_are("  brsx   ", BRANCH_SYSRET, TRACE_ON, true);
	flags_are("  bciDt   ", BRANCH_INT, TRACE_ON, false);
	flags_are("  bcyi?   ", BRANCH_HW_INT, TRACE_ON, false);
	flags_are("  boA   ", BRANCH_JCC, TRACE_ON, false);
	flags_are("  bBE   ", BRANCH_NONE, TRACE_ON, false);
	flags_are("  bchm   ", BRANCH_VMEXIT, TRACE_ON, false);
}
END_TEST

START_TEST(test_not_understood)
{
	no_flags("");
	no_flags("    ");
	no_flags("call");
	no_flags("  call   ");
	no_flags("  jump   7f00 f");
	no_flags("  returns   7f00 f");
	no_flags("  CALL   7f00 f");
	no_flags("  call return   7f00 f");
	no_flags("  call (y)   7f00 f");
	no_flags("  call (x   7f00 f");
	no_flags("  call/miss   7f00 f");
	no_flags("  call/a b/   7f00 f");
	no_flags("  call (x)7f00 f");
	no_flags("  jmpx7f00 f");
	no_flags("  tr strt tr end");
	no_flags("  tr foo  7f00 f");
	no_flags("  xB  7f00 f");
	no_flags("7f00 f");
}
END_TEST

static void bits_are(uint32_t bits, enum branch_kind kind, enum trace_state state, bool in_tx)
{
	struct flags f;

	ck_assert(flags_of_bits(bits, &f));
	ck_assert_int_eq(f.kind, kind);
	ck_assert_int_eq(f.state, state);
	ck_assert_int_eq(f.in_tx, in_tx);
}

/* PERF_IP_FLAG_* as perf has them, tools/perf/util/event.h. */
enum {
	B = 1 << 0,
	C = 1 << 1,
	R = 1 << 2,
	COND = 1 << 3,
	SYS = 1 << 4,
	ASYNC = 1 << 5,
	INTR = 1 << 6,
	ABORT = 1 << 7,
	BEGIN = 1 << 8,
	END = 1 << 9,
	IN_TX = 1 << 10,
	ENTRY = 1 << 11,
	EXIT = 1 << 12,
	DISABLED = 1 << 13,
	NEWER = 1 << 20,
};

START_TEST(test_bits)
{
	struct flags f;

	bits_are(B, BRANCH_JMP, TRACE_ON, false);
	bits_are(B | C, BRANCH_CALL, TRACE_ON, false);
	bits_are(B | R, BRANCH_RETURN, TRACE_ON, false);
	bits_are(B | COND, BRANCH_JCC, TRACE_ON, false);
	bits_are(B | C | INTR, BRANCH_INT, TRACE_ON, false);
	bits_are(B | R | INTR, BRANCH_IRET, TRACE_ON, false);
	bits_are(B | C | SYS, BRANCH_SYSCALL, TRACE_ON, false);
	bits_are(B | R | SYS, BRANCH_SYSRET, TRACE_ON, false);
	bits_are(B | ASYNC, BRANCH_ASYNC, TRACE_ON, false);
	bits_are(B | C | ASYNC | INTR, BRANCH_HW_INT, TRACE_ON, false);
	bits_are(B | ABORT, BRANCH_TX_ABRT, TRACE_ON, false);
	bits_are(B | C | ENTRY, BRANCH_VMENTRY, TRACE_ON, false);
	bits_are(B | C | EXIT, BRANCH_VMEXIT, TRACE_ON, false);
	bits_are(B | BEGIN, BRANCH_NONE, TRACE_START, false);
	bits_are(B | C | BEGIN, BRANCH_CALL, TRACE_START, false);
	bits_are(B | C | SYS | END, BRANCH_SYSCALL, TRACE_END, false);
	bits_are(B | END, BRANCH_JMP, TRACE_END, false);
	bits_are(B | BEGIN | END, BRANCH_NONE, TRACE_ON, false);
	bits_are(B | R | IN_TX | DISABLED | NEWER, BRANCH_RETURN, TRACE_ON, true);
	ck_assert(!flags_of_bits(0, &f));
	ck_assert(!flags_of_bits(C | END, &f));
}
END_TEST

SUITE_MAIN("flags", test_types, test_prefix_alone, test_no_column, test_states, test_events,
	   test_letters, test_bits, test_not_understood)
