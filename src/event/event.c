/* SPDX-License-Identifier: MIT */
#include "event/event.h"

const char *branch_kind_word(enum branch_kind kind)
{
	static const char *const words[BRANCH_KINDS] = {
		[BRANCH_NONE] = "",           [BRANCH_CALL] = "call",
		[BRANCH_RETURN] = "return",   [BRANCH_JCC] = "jcc",
		[BRANCH_JMP] = "jmp",         [BRANCH_INT] = "int",
		[BRANCH_IRET] = "iret",       [BRANCH_SYSCALL] = "syscall",
		[BRANCH_SYSRET] = "sysret",   [BRANCH_ASYNC] = "async",
		[BRANCH_HW_INT] = "hw int",   [BRANCH_TX_ABRT] = "tx abrt",
		[BRANCH_VMENTRY] = "vmentry", [BRANCH_VMEXIT] = "vmexit",
	};

	return kind < BRANCH_KINDS ? words[kind] : "";
}
