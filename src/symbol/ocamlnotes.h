/* SPDX-License-Identifier: MIT */
/*
 * ocamlnotes: where OCaml code installs, removes and enters exception handlers, as its compiler has
 * noted it in the ELF file.
 *
 * The section .note.ocaml_eh holds ELF notes (elf(5)) of the owner "OCaml" and of type 1. Each has
 * the address of the section .stapsdt.base at the time it was written, which prelink(8) and the
 * like may change, and three lists of 64-bit addresses that end with 0: where handlers are entered,
 * installed, and removed.
 */
#ifndef MT_SYMBOL_OCAMLNOTES_H
#define MT_SYMBOL_OCAMLNOTES_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct ocamlnotes_list {
	uint64_t *all; /* owned: sorted, without duplicates */
	size_t n, cap;
};

/* Addresses are those of the file as it is linked now. */
struct ocamlnotes {
	struct ocamlnotes_list enter, push, pop;
};

/*
 * Reads them. fd stays the caller's; path is for messages. *warning says what is wrong with them,
 * if anything is: damaged notes give what could be read, those without .stapsdt.base nothing. End
 * with ocamlnotes_fini; all lists are empty in a file that is not of OCaml, or no ELF file.
 */
void ocamlnotes_read(int fd, const char *path, struct ocamlnotes *notes, struct err *warning);
void ocamlnotes_fini(struct ocamlnotes *notes);

#endif
