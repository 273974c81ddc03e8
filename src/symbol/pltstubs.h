/* SPDX-License-Identifier: MIT */
/* pltstubs: the pieces of code through which a file calls functions of others (x86-64 only). */
#ifndef MT_SYMBOL_PLTSTUBS_H
#define MT_SYMBOL_PLTSTUBS_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

struct pltstub {
	uint64_t value, size;
	const char *name;  /* of the function that it jumps to, without a version; or NULL: */
	uint64_t resolver; /* the function is one of this file, and this chooses it (an IFUNC) */
};

/*
 * Calls each for every stub of .plt, .plt.sec and .plt.got; it is valid for the call. Stubs are
 * known by their code, an indirect jump through a word that a relocation fills (System V ABI, AMD64
 * supplement, "Procedure Linkage Table"): so no linker's order of them is relied on.
 */
void pltstubs_find(Elf *elf, void (*each)(void *ctx, const struct pltstub *stub), void *ctx);

#endif
