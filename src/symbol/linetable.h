/* SPDX-License-Identifier: MIT */
/*
 * linetable: where functions are defined, by the debug line table of one ELF file (elfutils).
 *
 * Addresses are those of the file, unrelocated: so it answers for executables that are loaded where
 * they were linked (ET_EXEC), and refuses others.
 */
#ifndef MT_SYMBOL_LINETABLE_H
#define MT_SYMBOL_LINETABLE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct linetable;

/*
 * Opens the file and its debug info (separate debug files too). 0 and *lines, or -1 with err: no
 * such file, not an ELF file, position independent, no line table. Free with linetable_close.
 */
int linetable_open(const char *path, struct linetable **lines, struct err *err);
void linetable_close(struct linetable *lines);

/*
 * Whether a function begins at addr and the line table knows it: true, *file (owned by lines),
 * *line and *col (0 when not known).
 */
bool linetable_function(struct linetable *lines, uint64_t addr, const char **file, uint32_t *line,
			uint32_t *col);

#endif
