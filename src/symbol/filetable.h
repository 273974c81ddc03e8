/* SPDX-License-Identifier: MIT */
/*
 * filetable: what is known of one ELF file as a whole: its segments, its functions, and which
 * compilation unit has which code. Flat, so that it can be sent from process to process and kept in
 * a file; whoever reads one checks it first.
 *
 * Addresses are those of the file as it was linked.
 */
#ifndef MT_SYMBOL_FILETABLE_H
#define MT_SYMBOL_FILETABLE_H

#include "symbol/blob.h"
#include "symbol/ranges.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be raised when a table of old code would be misunderstood. */
#define FILETABLE_VERSION 1

enum filetable_flag {
	FILETABLE_STRIPPED = 1 << 0, /* only has the symbols that the dynamic linker needs */
	FILETABLE_DWARF = 1 << 1,    /* debug info was found */
};

struct filetable_segment {
	uint64_t value, offset, size;
};

/* [start, end) belongs to a function that begins at value. Sorted, none overlaps another. */
struct filetable_symbol {
	uint64_t start, end, value;
	uint32_t name; /* see filetable_name */
	uint32_t reserved;
};

/* As it lies in memory and in files. */
struct filetable_head {
	uint32_t version, flags;
	uint32_t n_segments, n_symbols, n_units, reserved;
	uint64_t n_names; /* bytes; the last one is a NUL */
};

/* One that was checked; all is borrowed from the bytes. */
struct filetable {
	uint32_t flags;
	const struct filetable_segment *segments; /* executable ones */
	const struct filetable_symbol *symbols;
	const struct range *units; /* settled; owners: numbers to ask for a unit's table with */
	const char *names;
	size_t n_segments, n_symbols, n_units, n_names;
};

/* Whether the bytes are a table that can be read without a further look; then *table is filled. */
bool filetable_check(const void *bytes, size_t n, struct filetable *table);

/* The address as the file was linked of what lies at an offset of it; false: no code lies there. */
bool filetable_value(const struct filetable *table, uint64_t offset, uint64_t *value);

/* The function that has the code at a value; NULL: none is known. */
const struct filetable_symbol *filetable_symbol(const struct filetable *table, uint64_t value);
const char *filetable_name(const struct filetable *table, const struct filetable_symbol *symbol);

/* The unit that has the code at a value: true and *unit. */
bool filetable_unit(const struct filetable *table, uint64_t value, uint64_t *unit);

/*
 * The code around a value, [*start, *end), that is of one unit, or of none: no unit has it. Code
 * of one unit may be in several pieces.
 */
void filetable_stretch(const struct filetable *table, uint64_t value, uint64_t *start,
		       uint64_t *end);

#endif
