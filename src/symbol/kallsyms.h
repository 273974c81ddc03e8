/* SPDX-License-Identifier: MIT */
/*
 * kallsyms: the functions of a kernel and its modules, as /proc/kallsyms has them (the kernel's
 * kernel/kallsyms.c, s_show()): lines of "ADDRESS TYPE NAME", of a module's with a tab and
 * "[MODULE]" behind.
 */
#ifndef MT_SYMBOL_KALLSYMS_H
#define MT_SYMBOL_KALLSYMS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* What is beyond this many bytes of a file is left out; a kernel's own has 10 MB. */
#define KALLSYMS_BYTES_MAX ((size_t)128 << 20)

struct kallsyms;

struct kallsyms_function {
	const char *name; /* as long as the table */
	uint64_t start;
};

/*
 * Reads a file; lines that are malformed, or of data, are left out. 0 and *kallsyms, to be freed
 * with kallsyms_free; or -1 with err: it cannot be read, or no function has an address, as when the
 * kernel hides them (kernel.kptr_restrict).
 */
int kallsyms_read(const char *path, struct kallsyms **kallsyms, struct err *err);
void kallsyms_free(struct kallsyms *kallsyms);

/*
 * Moves the kernel's functions so that the symbol `reference` is at an address: where that kernel
 * was when it was recorded, for it is loaded elsewhere each time (KASLR). Modules cannot be moved:
 * when that changes anything, they are left out. False: there is no such symbol.
 */
bool kallsyms_move(struct kallsyms *kallsyms, const char *reference, uint64_t address);

/* The function that has the code at an address. */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
		   struct kallsyms_function *function);

#endif
