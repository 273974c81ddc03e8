/* SPDX-License-Identifier: MIT */
/* elfopen: begins to read an ELF file that may be made to harm its reader. */
#ifndef MT_SYMBOL_ELFOPEN_H
#define MT_SYMBOL_ELFOPEN_H

#include "base/err.h"

#include <libelf.h>
#include <stdint.h>

/* Sections of symbols and of their names are not larger than this, in bytes. */
#define ELFOPEN_TABLE_MAX ((uint64_t)1 << 30)

/*
 * Reads the heads of the ELF file (executable or shared object, of this machine's byte order) that
 * fd is open for: with read(2), so that a file which is truncated meanwhile is an error and no
 * signal. What libelf would take memory and time for by what the file says alone is refused: more
 * sections than 2^20, notes and section names of more than 64 MB. To be ended with elf_end; fd
 * stays the caller's and must live as long. NULL with err, which names path.
 */
Elf *elfopen(int fd, const char *path, struct err *err);

/* The same of an object file, such as holds debug info beside a program. */
Elf *elfopen_object(int fd, const char *path, struct err *err);

/* The first section of this type (SHT_*), or NULL. */
Elf_Scn *elfopen_section(Elf *elf, uint32_t type);

/* The first section of this name (".plt"), or NULL. */
Elf_Scn *elfopen_named(Elf *elf, const char *name);

#endif
