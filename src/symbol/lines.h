/* SPDX-License-Identifier: MIT */
/*
 * lines: where functions are defined, by the debug line table of one ELF file (elfutils).
 *
 * Addresses are those of the file, unrelocated: so it answers for executables that are loaded where
 * they were linked (ET_EXEC), and refuses others.
 */
#ifndef MT_SYMBOL_LINES_H
#define MT_SYMBOL_LINES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct lines;

/*
 * Opens the file and its debug info (separate debug files too). 0 and *lines, or -1 with err: no
 * such file, not an ELF file, position independent, no line table. Free with lines_close.
 */
int lines_open(const char *path, struct lines **lines, struct err *err);
void lines_close(struct lines *lines);

/*
 * Whether a function begins at addr and the line table knows it: true, *file (owned by lines),
 * *line and *col (0 when not known).
 */
bool lines_function(struct lines *lines, uint64_t addr, const char **file, uint32_t *line,
		    uint32_t *col);

#endif
