/* SPDX-License-Identifier: MIT */
/* minisyms: the functions of "mini debug info", as GDB's manual calls it. */
#ifndef MT_SYMBOL_MINISYMS_H
#define MT_SYMBOL_MINISYMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls each for every function of the symbol table that is packed into the section .gnu_debugdata
 * (elfutils unpacks it). fd is that of an ELF file and stays the caller's; name is valid for the
 * call. Nothing happens when there is no such section.
 */
void minisyms_find(int fd, const char *path,
		   void (*each)(void *ctx, uint64_t value, uint64_t size, bool local,
				const char *name),
		   void *ctx);

#endif
