/* SPDX-License-Identifier: MIT */
/* filebuild: makes the table of one ELF file. */
#ifndef MT_SYMBOL_FILEBUILD_H
#define MT_SYMBOL_FILEBUILD_H

#include "symbol/blob.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"

/*
 * Puts the table (filetable.h) behind what is in blob. Functions are those of .symtab (of the file,
 * else of its separate debug file), else those of .dynsym and .gnu_debugdata together, and the
 * stubs of the PLT as "NAME@plt". Of several names at one address the one is taken that perf would
 * take. fd: of the same file, stays the caller's. info: NULL: there is no debug info.
 */
void filebuild(int fd, const char *path, const struct elffile *file, const struct debuginfo *info,
	       struct blob *blob);

#endif
