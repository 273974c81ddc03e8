/* SPDX-License-Identifier: MIT */
/* places: what a selection was found to mean, in a process: one place, several, or none. */
#ifndef MT_SYMBOL_PLACES_H
#define MT_SYMBOL_PLACES_H

#include "base/err.h"
#include "symbol/locate.h"
#include "symbol/process.h"

#include <stddef.h>
#include <stdint.h>

struct place {
	struct image *image;
	uint64_t address; /* in the process */
	uint64_t value;   /* in the image's file */
	const char *name; /* raw, of the function; NULL: not known. Lives while the file is open */
	const char *source; /* source file by STT_FILE, or NULL; likewise */
};

struct places {
	struct place *all;
	size_t n;
	size_t unmapped; /* how many values had no address: their code is not mapped */
};

/* Adds each address of the place's value; those that are there already are one with them. */
void places_add(struct places *places, const struct process *process, struct place place);
void places_clear(struct places *places);

/*
 * Ends a search: one place is LOCATE_FOUND (located->symbol is the function's demangled name, or,
 * when it has none, or with a line or an address, `text`). Several are LOCATE_FAILED, listed in err
 * with what tells them apart. None, of which some were unmapped, is LOCATE_FAILED; else
 * LOCATE_ABSENT, without err.
 */
enum locate_result places_end(const struct places *places, const struct process *process,
			      const char *text, bool named, struct located *located,
			      struct err *err);

#endif
