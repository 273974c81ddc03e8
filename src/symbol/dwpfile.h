/* SPDX-License-Identifier: MIT */
/*
 * dwpfile: a package of split units (.dwp), as dwp and llvm-dwp make it of a program's .dwo files:
 * DWARF 5, section 7.3.5, and what GCC had for DWARF 4 before it ("DebugFissionDWP" in GCC's wiki).
 */
#ifndef MT_SYMBOL_DWPFILE_H
#define MT_SYMBOL_DWPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a section, borrowed; all zero: there is none. */
struct dwp_part {
	const unsigned char *p;
	size_t n;
};

enum dwp_section {
	DWP_INFO,
	DWP_ABBREV,
	DWP_LINE,
	DWP_STR_OFFSETS,
	DWP_RNGLISTS,
	DWP_STR, /* not of a unit: all of it */
	DWP_SECTIONS,
};

/* What a package has of one unit; info is not empty. */
struct dwp_unit {
	struct dwp_part parts[DWP_SECTIONS];
};

struct dwpfile;

/*
 * Opens the package of a program or of its debug file: the file at `path` with ".dwp" behind. NULL:
 * there is none that can be read. Free with dwpfile_close.
 */
struct dwpfile *dwpfile_open(const char *path);
void dwpfile_close(struct dwpfile *dwp);

/* The unit of this id (DW_AT_dwo_id); it lives as long as the package. False: it has none. */
bool dwpfile_find(const struct dwpfile *dwp, uint64_t id, struct dwp_unit *unit);

#endif
