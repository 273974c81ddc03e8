/* SPDX-License-Identifier: MIT */
/*
 * block: a run of instructions that QEMU has translated together. Only the last one can be a
 * branch, and where it went is told by the block that follows.
 */
#ifndef MT_SOFT_PLUGIN_BLOCK_H
#define MT_SOFT_PLUGIN_BLOCK_H

#include "soft/insn.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block {
	uint64_t start, last, next; /* its first instruction, its last, what lies behind */
	uint32_t n;                 /* instructions */
	struct insn insn;           /* the last */
	bool may_cross;             /* the last may reach into another page */
	/*
	 * It may be the beginning of a signal handler, which uses the stack: the pointer was this
	 * far above the address that is used, when the handler began. Or it does not (yet).
	 */
	bool watched, uses_stack;
	uint64_t stack_at;
	uint8_t sizes[]; /* of the instructions, in bytes */
};

enum block_end {
	BLOCK_WHOLE,    /* all of it was executed */
	BLOCK_BUT_LAST, /* all but the last, which comes once more */
	BLOCK_PERHAPS,  /* all of it: from there it may go anywhere */
	BLOCK_BROKEN,   /* it cannot have gone there: the kernel took over before */
};

/* How a block was left when what follows is at `to`. */
enum block_end block_end(const struct block *b, uint64_t to);

/* Whether an address is that of one of its instructions; *index: of which. */
bool block_index(const struct block *b, uint64_t ip, uint32_t *index);

/* The address of an instruction of it. */
uint64_t block_address(const struct block *b, uint32_t index);

/* A block of n instructions, to be filled in; never freed: QEMU keeps it as long as it likes. */
struct block *block_new(uint64_t start, size_t n) __attribute__((returns_nonnull));

/* Fills in all but the sizes, which are there; code: that of the last instruction. */
void block_complete(struct block *b, const uint8_t *code);

/* The block from an instruction of it on. */
struct block *block_rest(const struct block *b, uint32_t index) __attribute__((returns_nonnull));

/*
 * What an instruction does to the stack pointer: true, it uses the stack, at *at bytes below
 * where the pointer was before it (a push, a call, a return); else it lowers it by *at.
 */
bool block_uses_stack(const uint8_t *code, size_t n, uint64_t *at);

#endif
