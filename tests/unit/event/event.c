/* SPDX-License-Identifier: MIT */
#include "event/event.h"

#include "support/suite.h"

#include <string.h>

/* The words of perf's flag column (sample_flags[] in tools/perf/util/trace-event-scripting.c). */
START_TEST(test_words)
{
	ck_assert_str_eq(branch_kind_word(BRANCH_NONE), "");
	ck_assert_str_eq(branch_kind_word(BRANCH_CALL), "call");
	ck_assert_str_eq(branch_kind_word(BRANCH_RETURN), "return");
	ck_assert_str_eq(branch_kind_word(BRANCH_JCC), "jcc");
	ck_assert_str_eq(branch_kind_word(BRANCH_JMP), "jmp");
	ck_assert_str_eq(branch_kind_word(BRANCH_INT), "int");
	ck_assert_str_eq(branch_kind_word(BRANCH_IRET), "iret");
	ck_assert_str_eq(branch_kind_word(BRANCH_SYSCALL), "syscall");
	ck_assert_str_eq(branch_kind_word(BRANCH_SYSRET), "sysret");
	ck_assert_str_eq(branch_kind_word(BRANCH_ASYNC), "async");
	ck_assert_str_eq(branch_kind_word(BRANCH_HW_INT), "hw int");
	ck_assert_str_eq(branch_kind_word(BRANCH_TX_ABRT), "tx abrt");
	ck_assert_str_eq(branch_kind_word(BRANCH_VMENTRY), "vmentry");
	ck_assert_str_eq(branch_kind_word(BRANCH_VMEXIT), "vmexit");
	ck_assert_str_eq(branch_kind_word(BRANCH_KINDS), "");
}
END_TEST

SUITE_MAIN("event", test_words)
