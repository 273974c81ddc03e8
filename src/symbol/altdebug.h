/* SPDX-License-Identifier: MIT */
/* altdebug: the file of debug info that several programs share, as dwz(1) makes it. */
#ifndef MT_SYMBOL_ALTDEBUG_H
#define MT_SYMBOL_ALTDEBUG_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Begin with all zero. */
struct altdebug {
	Elf *elf;
	Dwarf *dwarf; /* NULL: there is none */
	int fd;       /* valid when there is an elf */
};

/*
 * Looks for the file that the section .gnu_debugaltlink of `main` names, which lies in the file
 * that `path` leads to: by its build-id below /usr/lib/debug/.build-id, and by its name, seen from
 * there. The one found has that build-id. `main` then refers to it, until it is closed after main.
 * False: what has that name is no regular file, so that `main` is not safe to be read: elfutils
 * would open it and, if it is a FIFO, wait.
 */
bool altdebug_find(Dwarf *main, const char *path, struct altdebug *alt);
void altdebug_close(struct altdebug *alt);

#endif
