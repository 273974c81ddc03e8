/* SPDX-License-Identifier: MIT */
/* insn: which kind of branch an x86-64 instruction is. Of others, nothing is known. */
#ifndef MT_SOFT_INSN_H
#define MT_SOFT_INSN_H

#include <stddef.h>
#include <stdint.h>

/* The longest instruction (Intel SDM, volume 2, 2.3.11). */
#define INSN_MAX 15

enum insn_kind {
	INSN_OTHER,
	INSN_JCC,      /* conditional, also loop and jrcxz */
	INSN_JMP,      /* direct */
	INSN_CALL,     /* direct */
	INSN_JMP_IND,  /* through a register or memory, far ones too */
	INSN_CALL_IND, /* through a register or memory, far ones too */
	INSN_RET,
	INSN_SYSCALL, /* syscall, sysenter */
	INSN_INT,     /* int N, int1 */
	INSN_INT3,
	INSN_IRET,
};

struct insn {
	uint8_t kind;   /* enum insn_kind */
	uint8_t length; /* bytes, of a branch; 0: INSN_OTHER */
	int32_t rel;    /* of a direct branch: target - address - length */
};

/* Looks at the n bytes at code (those behind INSN_MAX are not needed); too few: INSN_OTHER. */
struct insn insn_of(const uint8_t *code, size_t n);

#endif
