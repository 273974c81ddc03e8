/* SPDX-License-Identifier: MIT */
#include "soft/plugin/block.h"

#include "base/xalloc.h"

#include <string.h>

#define PAGE_BITS 12

struct block *block_new(uint64_t start, size_t n)
{
	struct block *b = xcalloc(1, sizeof(*b) + n);

	b->start = start;
	b->n = (uint32_t)n;
	return b;
}

void block_complete(struct block *b, const uint8_t *code)
{
	b->last = block_address(b, b->n - 1);
	b->next = b->last + b->sizes[b->n - 1];
	b->insn = insn_of(code, b->sizes[b->n - 1]);
	b->may_cross = (b->last ^ (b->last + INSN_MAX - 1)) >> PAGE_BITS;
}

struct block *block_rest(const struct block *b, uint32_t index)
{
	struct block *rest = block_new(block_address(b, index), b->n - index);

	memcpy(rest->sizes, b->sizes + index, rest->n);
	rest->last = b->last;
	rest->next = b->next;
	rest->insn = b->insn;
	rest->may_cross = b->may_cross;
	return rest;
}

uint64_t block_address(const struct block *b, uint32_t index)
{
	uint64_t ip = b->start;

	for (uint32_t i = 0; i < index; i++)
		ip += b->sizes[i];
	return ip;
}

bool block_index(const struct block *b, uint64_t ip, uint32_t *index)
{
	uint64_t at = b->start;

	for (uint32_t i = 0; i < b->n; i++) {
		*index = i;
		if (at == ip)
			return true;
		at += b->sizes[i];
	}
	return false;
}

enum block_end block_end(const struct block *b, uint64_t to)
{
	uint64_t target = b->next + (uint64_t)(int64_t)b->insn.rel;

	/*
	 * QEMU shows an instruction that reaches into the next page at the end of a block, but
	 * translates it into the next one.
	 */
	if (b->may_cross && to == b->last && target != b->last)
		return BLOCK_BUT_LAST;
	switch ((enum insn_kind)b->insn.kind) {
	case INSN_OTHER:
		if (to == b->next)
			return BLOCK_WHOLE;
		/* rep movs and its like come once more for each step */
		return to == b->last ? BLOCK_BUT_LAST : BLOCK_BROKEN;
	case INSN_JCC: return to == b->next || to == target ? BLOCK_WHOLE : BLOCK_BROKEN;
	case INSN_JMP:
	case INSN_CALL: return to == target ? BLOCK_WHOLE : BLOCK_BROKEN;
	case INSN_JMP_IND:
	case INSN_CALL_IND:
	case INSN_RET:
	case INSN_IRET: return BLOCK_PERHAPS;
	case INSN_SYSCALL:
	case INSN_INT:
	case INSN_INT3: break;
	}
	return BLOCK_BROKEN;
}

static int32_t little32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Intel SDM, volume 2: push 50+r, 41 50+r; call e8; ret c2, c3; sub rsp, imm 48 83 ec, 48 81 ec. */
bool block_uses_stack(const uint8_t *code, size_t n, uint64_t *at)
{
	enum insn_kind kind = (enum insn_kind)insn_of(code, n).kind;

	*at = 0;
	if (kind == INSN_RET)
		return true;
	*at = 8;
	if (kind == INSN_CALL || (n == 1 && (code[0] & 0xf8) == 0x50) ||
	    (n == 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50))
		return true;
	*at = 0;
	if (n == 4 && memcmp(code, "\x48\x83\xec", 3) == 0)
		*at = (uint64_t)(int8_t)code[3];
	else if (n == 7 && memcmp(code, "\x48\x81\xec", 3) == 0)
		*at = (uint64_t)little32(code + 3);
	return false;
}
