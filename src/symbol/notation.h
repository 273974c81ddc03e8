/* SPDX-License-Identifier: MIT */
/* notation: how addresses, source lines and functions of libraries are written. */
#ifndef MT_SYMBOL_NOTATION_H
#define MT_SYMBOL_NOTATION_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

/* FILE:LINE or FILE:LINE:COL. */
struct notation_line {
	struct str file; /* borrowed, not empty */
	uint32_t line;   /* from 1 */
	uint32_t col;    /* from 1; 0: not given */
};

/* Whether all of the text is a hexadecimal number of at most 64 bits, with or without 0x. */
bool notation_address(const char *text, uint64_t *address);

/* Whether the text is a line; *line then holds its parts. */
bool notation_line(const char *text, struct notation_line *line);

/*
 * Whether the text is LIBRARY:SYMBOL: parted by the first colon that stands alone. *library and
 * *symbol, which are borrowed, are then not empty.
 */
bool notation_library(const char *text, struct str *library, const char **symbol);

#endif
