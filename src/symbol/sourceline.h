/* SPDX-License-Identifier: MIT */
/* sourceline: where the code of a source line begins. */
#ifndef MT_SYMBOL_SOURCELINE_H
#define MT_SYMBOL_SOURCELINE_H

#include "symbol/debuginfo.h"
#include "symbol/notation.h"

#include <stddef.h>
#include <stdint.h>

struct sourceline {
	uint64_t *values; /* addresses of the file where a statement of the line begins: rising */
	size_t n;
	char *file;    /* the path of a source file that the name fits; NULL: there is none */
	uint32_t next; /* when n is 0: the first line after it that has code; 0: none */
};

/*
 * Looks through all line tables for rows that begin a statement of this line, and column when one
 * is given. A file fits when its last components are those that were given.
 */
void sourceline_find(const struct debuginfo *info, const struct notation_line *line,
		     struct sourceline *found);
void sourceline_fini(struct sourceline *found);

/* Whether `path` is `name`, or ends with it behind a slash; "./" before the name is left out. */
bool sourceline_fits(const char *path, struct str name);

#endif
