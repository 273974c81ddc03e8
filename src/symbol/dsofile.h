/* SPDX-License-Identifier: MIT */
/* dsofile: finds the file that a process of a recording had mapped. */
#ifndef MT_SYMBOL_DSOFILE_H
#define MT_SYMBOL_DSOFILE_H

#include "base/err.h"
#include "symbol/buildid.h"

#include <stdbool.h>
#include <stdint.h>

/* What is known of it; strings are borrowed. */
struct dsofile {
	const char *path;     /* as it was called; may end in " (deleted)"; or "[vdso]" */
	const char *build_id; /* hex digits; "": not known */
	uint64_t inode;       /* 0: not known */
	int32_t pid;          /* a process that had it mapped at [start, end) */
	uint64_t start, end;
	const char *symfs; /* paths are below this directory; NULL: they are not */
	bool same_machine; /* the kernel of the recording is the one that runs */
};

/*
 * Opens the file by its path (below symfs); when that is another one now: perf's own copy (in
 * ~/.debug), what the process still has mapped, or what lies at this path in its mount namespace.
 * A file is taken when its build-id is the recorded one; where none was recorded, when its inode
 * is (device numbers are not compared: those that mappings have are not those of stat(2) where a
 * file system has subvolumes), or (below symfs) by its path alone. "[vdso]" is taken from our own
 * process. The descriptor, with *name a path that leads to it, for messages and what lies beside
 * it, to be freed, and its build-id ("": none); or -1 with err.
 */
int dsofile_open(const struct dsofile *file, char **name, char build_id[BUILDID_HEX],
		 struct err *err);

#endif
