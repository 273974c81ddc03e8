/* SPDX-License-Identifier: MIT */
/* elffile: the functions of one ELF file, and where its parts are loaded. */
#ifndef MT_SYMBOL_ELFFILE_H
#define MT_SYMBOL_ELFFILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;

/* A part of the file that is loaded (PT_LOAD): file offset `offset` at address `value`. */
struct elffile_segment {
	uint64_t value, offset, size; /* size: of what lies in the file */
	bool executable;
};

/* Addresses of the file, "values", are as it was linked. */
struct elffile_function {
	const char *name; /* raw, perhaps very long, perhaps with @VERSION; till elffile_close */
	uint64_t value, size;
	const char *source; /* its source file's name (STT_FILE), for local functions; or NULL */
	bool is_resolver;   /* an IFUNC: chooses the function that is then called by this name */
	bool is_old;        /* .gnu.version: a version that new programs are not linked with */
	bool is_local, is_weak;
};

/* Where a walk over the functions stands; begin with all zero. */
struct elffile_walk {
	uint64_t next;
	const char *source;
};

/*
 * Takes fd over. path: one that leads to the file, for messages and for its separate debug file,
 * which is opened when the file itself is stripped. 0 and *file, to be closed with elffile_close;
 * or -1 with err: not an ELF executable or library, damaged, another machine's byte order.
 */
int elffile_open(int fd, const char *path, struct elffile **file, struct err *err);
void elffile_close(struct elffile *file);

/*
 * The next function that the file defines in its code, in the order of the symbol table; false at
 * the end. Aliases are given each; imported functions and PLT entries are none.
 */
bool elffile_next(const struct elffile *file, struct elffile_walk *walk,
		  struct elffile_function *function);

/* Whether addresses of the process are those of the file (ET_EXEC). */
bool elffile_is_fixed(const struct elffile *file);
/* Whether it only has the symbols that the dynamic linker needs, or none. */
bool elffile_is_stripped(const struct elffile *file);
/* Whether it has a dynamic linker (PT_INTERP). */
bool elffile_is_dynamic(const struct elffile *file);
/* Whether it is of 64 bits. */
bool elffile_is_64(const struct elffile *file);

/* What is loaded, as the program headers have it; *n of them. Lives until elffile_close. */
const struct elffile_segment *elffile_segments(const struct elffile *file, size_t *n);

/* The executable segment that holds a value; NULL: none. */
const struct elffile_segment *elffile_segment(const struct elffile *file, uint64_t value);

#endif
