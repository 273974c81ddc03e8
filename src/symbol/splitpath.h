/* SPDX-License-Identifier: MIT */
/* splitpath: where elfutils looks for the rest of a unit of which a program has the skeleton. */
#ifndef MT_SYMBOL_SPLITPATH_H
#define MT_SYMBOL_SPLITPATH_H

#include <elfutils/libdw.h>
#include <stdbool.h>

/*
 * Whether elfutils can be let look for the split unit of a skeleton's DIE, in debug info that lies
 * in the file at `path`: it opens whatever its DW_AT_dwo_name leads to, as it is said there, or
 * from the file's or the compiler's directory; and to open a FIFO is to wait for ever. True as well
 * for other units.
 */
bool splitpath_is_safe(Dwarf_Die *unit, const char *path);

#endif
