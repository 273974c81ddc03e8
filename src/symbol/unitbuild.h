/* SPDX-License-Identifier: MIT */
/* unitbuild: makes the table of one compilation unit from its DWARF (libdw). */
#ifndef MT_SYMBOL_UNITBUILD_H
#define MT_SYMBOL_UNITBUILD_H

#include "symbol/blob.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Puts the table (unittable.h) of the unit whose DIE is at an offset behind what is in blob: what
 * the DWARF says of code that is in file's executable segments. A split unit is looked for
 * where the unit says that it is (.dwo), and in the package (info->dwp). False, with nothing put,
 * when there is no such unit. *whole: nothing was missing, so that a later look will find no more.
 */
bool unitbuild(const struct debuginfo *info, const struct elffile *file, uint64_t unit,
	       struct blob *blob, bool *whole);

#endif
