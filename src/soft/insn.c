/* SPDX-License-Identifier: MIT */
/*
 * Intel SDM, volume 2: chapter 2 (prefixes, ModRM), appendix A (opcode maps). In 64-bit mode a near
 * branch has a displacement of 8 or 32 bits: 66 and REX.W change nothing. (An AMD CPU would take 16
 * bits of it behind 66; neither compilers nor perf's decoder know that form.)
 */
#include "soft/insn.h"

#include <stdbool.h>
#include <string.h>

static const struct insn other = { .kind = INSN_OTHER };

/* Whether a byte is a legacy prefix or, in 64-bit mode, a REX prefix. */
static bool is_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: /* segments; 2e and 3e are branch hints, 3e is notrack too */
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66: /* operand size */
	case 0x67: /* address size */
	case 0xf0: /* lock */
	case 0xf2: /* repne, bnd */
	case 0xf3: /* rep */ return true;
	default: return (byte & 0xf0) == 0x40;
	}
}

/* Bytes that ModRM, SIB and displacement take; code has at least two bytes. */
static size_t modrm_length(const uint8_t *code)
{
	unsigned int mod = code[0] >> 6, rm = code[0] & 7;
	size_t n = 1;

	if (mod == 3)
		return n;
	if (rm == 4) {
		n++;
		/* no base register: the displacement stands in */
		if (mod == 0 && (code[1] & 7) == 5)
			return n + 4;
	} else if (rm == 5 && mod == 0) {
		return n + 4; /* relative to rip */
	}
	if (mod == 1)
		return n + 1;
	return mod == 2 ? n + 4 : n;
}

/*
 * An instruction with an immediate of size bytes behind n bytes; its value becomes rel if it is a
 * displacement.
 */
static struct insn with_imm(enum insn_kind kind, const uint8_t *code, size_t n, size_t size)
{
	struct insn insn = { .kind = (uint8_t)kind, .length = (uint8_t)(n + size) };

	if (kind != INSN_JCC && kind != INSN_JMP && kind != INSN_CALL)
		return insn;
	if (size == 1)
		insn.rel = (code[n] ^ 0x80) - 0x80; /* its sign is bit 7 */
	else
		memcpy(&insn.rel, code + n, sizeof(insn.rel));
	return insn;
}

/* The two-byte opcodes; code[n] is the second byte. */
static struct insn of_0f(const uint8_t *code, size_t n)
{
	switch (code[n++]) {
	case 0x05:
	case 0x34: return with_imm(INSN_SYSCALL, code, n, 0);
	case 0x80 ... 0x8f: return with_imm(INSN_JCC, code, n, 4);
	default: return other;
	}
}

/* Group 5; code[n] is the ModRM byte. */
static struct insn of_ff(const uint8_t *code, size_t n)
{
	switch (code[n] >> 3 & 7) {
	case 2: /* near */
	case 3: /* far */ return with_imm(INSN_CALL_IND, code, n + modrm_length(code + n), 0);
	case 4:
	case 5: return with_imm(INSN_JMP_IND, code, n + modrm_length(code + n), 0);
	default: return other;
	}
}

/* code[n] is the opcode's first byte. */
static struct insn of_opcode(const uint8_t *code, size_t n)
{
	switch (code[n++]) {
	case 0x0f: return of_0f(code, n);
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3: /* loopne, loope, loop, jrcxz */ return with_imm(INSN_JCC, code, n, 1);
	case 0xc2: /* near */
	case 0xca: /* far */ return with_imm(INSN_RET, code, n, 2);
	case 0xc3:
	case 0xcb: return with_imm(INSN_RET, code, n, 0);
	case 0xcc: return with_imm(INSN_INT3, code, n, 0);
	case 0xcd: return with_imm(INSN_INT, code, n, 1);
	case 0xcf: return with_imm(INSN_IRET, code, n, 0);
	case 0xe8: return with_imm(INSN_CALL, code, n, 4);
	case 0xe9: return with_imm(INSN_JMP, code, n, 4);
	case 0xeb: return with_imm(INSN_JMP, code, n, 1);
	case 0xf1: return with_imm(INSN_INT, code, n, 0);
	case 0xff: return of_ff(code, n);
	default: return other;
	}
}

struct insn insn_of(const uint8_t *code, size_t n)
{
	/* 14 prefixes, an opcode of 2 bytes, ModRM, SIB and 4 bytes: nothing is read behind it */
	uint8_t bytes[INSN_MAX + 8] = { 0 };
	size_t prefixes = 0;
	struct insn insn;

	if (n > INSN_MAX)
		n = INSN_MAX;
	memcpy(bytes, code, n);
	while (prefixes < n && is_prefix(bytes[prefixes]))
		prefixes++;
	if (prefixes == n)
		return other;
	insn = of_opcode(bytes, prefixes);
	return insn.length > n ? other : insn;
}
