/* SPDX-License-Identifier: MIT */
/*
 * rangelists: lists of address ranges of DWARF, made to say what their addresses are relative to.
 * The lists of a split unit leave that to the unit's other part, which is in another file.
 */
#ifndef MT_SYMBOL_RANGELISTS_H
#define MT_SYMBOL_RANGELISTS_H

#include "symbol/blob.h"
#include "symbol/dwpfile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Puts a section of .debug_ranges (DWARF 4, section 2.17.3), of addresses of 64 bits, into the
 * empty blob: all addresses are relative to 0 then.
 */
void rangelists_old(const struct dwp_part *ranges, uint64_t base, struct blob *out);

/*
 * The same of what one unit has in .debug_rnglists.dwo (DWARF 5, sections 2.17.3 and 7.28): each
 * list begins with the base. False: it is damaged, or of another form than 32-bit DWARF with
 * addresses of 64 bits.
 */
bool rangelists_new(const struct dwp_part *lists, uint64_t base, struct blob *out);

#endif
