/* SPDX-License-Identifier: MIT */
/* debuginfo: the DWARF of one ELF file, its own or of its separate debug file (elfutils). */
#ifndef MT_SYMBOL_DEBUGINFO_H
#define MT_SYMBOL_DEBUGINFO_H

#include "base/err.h"
#include "symbol/altdebug.h"
#include "symbol/dwpfile.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* To be read by those who know libdw; all of it is owned by dwfl, but what says otherwise. */
struct debuginfo {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf;
	Dwarf_Addr bias; /* to be added to an address of the DWARF to get the module's */
	Dwarf_Addr load; /* to be added to an address of the file to get the module's */
	char *path;      /* of the file that the DWARF is in; owned */
	struct altdebug alt;
	struct dwpfile *dwp; /* the package of its split units; NULL: there is none */
};

/*
 * Takes fd over, which is open for an ELF file that `path` leads to. With `fetch` elfutils may ask
 * the servers of DEBUGINFOD_URLS, which takes as long as it does. 0, to be ended with
 * debuginfo_close; or -1 with err: no ELF file, no debug info.
 */
int debuginfo_open(int fd, const char *path, bool fetch, struct debuginfo *info, struct err *err);
void debuginfo_close(struct debuginfo *info);

/*
 * The next unit that has a line table of its own; *unit is NULL at first. false at the end, and
 * when the DWARF is damaged from there on. One of which to look for the rest is not safe
 * (splitpath_is_safe) is left out.
 */
bool debuginfo_next(const struct debuginfo *info, Dwarf_CU **unit, Dwarf_Die *die);

/* The source file and line of an address of the file, if they are known; *path is owned by info. */
bool debuginfo_line(const struct debuginfo *info, uint64_t value, const char **path, int *line);

#endif
