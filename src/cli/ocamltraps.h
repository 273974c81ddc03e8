/* SPDX-License-Identifier: MIT */
/* ocamltraps: the exception handlers of a recorded program of OCaml, for the stacks. */
#ifndef MT_CLI_OCAMLTRAPS_H
#define MT_CLI_OCAMLTRAPS_H

#include "base/err.h"
#include "cli/symbols.h"
#include "stack/stacks.h"

#include <stdbool.h>

/* All zero: none. */
struct ocamltraps {
	struct ocaml_traps traps;
	uint64_t *lists[3]; /* owned: what traps points to */
};

/*
 * Looks for the notes of OCaml's compiler (symbol/ocamlnotes.h) in the program, which is below the
 * directory symfs when that is not NULL, and puts them where the recording's processes had it.
 * true: there are some; to be freed with ocamltraps_fini. *warning is filled when they are damaged,
 * or the recording does not say where the program was.
 */
bool ocamltraps_find(struct ocamltraps *found, struct symbols *symbols, const char *symfs,
		     const char *program, struct err *warning);
void ocamltraps_fini(struct ocamltraps *found);

#endif
