/* SPDX-License-Identifier: MIT */
/*
 * splitunit: makes of a unit in a package (.dwp) debug info that elfutils can read, which before
 * release 0.191 knew no packages: an ELF file in memory that holds this one unit, with what it
 * needs of the program's own debug info.
 */
#ifndef MT_SYMBOL_SPLITUNIT_H
#define MT_SYMBOL_SPLITUNIT_H

#include "symbol/blob.h"
#include "symbol/dwpfile.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

struct splitunit {
	struct blob image;
	Elf *elf;
	Dwarf *dwarf;
};

/*
 * `skeleton` is the DIE in the program of the unit that `unit` has the rest of. *die is that of the
 * unit, and valid until splitunit_close. False, with nothing to be closed: it cannot be read.
 */
bool splitunit_open(const struct dwp_unit *unit, Dwarf_Die *skeleton, struct splitunit *split,
		    Dwarf_Die *die);
void splitunit_close(struct splitunit *split);

#endif
