/* SPDX-License-Identifier: MIT */
/* procmaps: what a process has mapped where, by /proc/PID/maps (proc_pid_maps(5)). */
#ifndef MT_BASE_PROCMAPS_H
#define MT_BASE_PROCMAPS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end;   /* [start, end) in the process */
	uint64_t offset;       /* of the file that lies at start */
	uint64_t inode;        /* 0: no file */
	uint32_t major, minor; /* of the file's device */
	bool readable, writable, executable, shared;
	/*
	 * As the kernel prints it, but with newlines for "\012"; "" for no name. It is that of the
	 * file when it begins with a slash, with " (deleted)" behind it when it has been removed.
	 */
	const char *path;
};

struct procmaps {
	struct mapping *all; /* by address, as the kernel prints them */
	size_t n;
	char *text; /* where the paths lie */
};

/*
 * Reads those of process pid: 0 and *maps, to be freed with procmaps_fini; or -1 with err and
 * errno. A process that has ended, or a thread of the kernel, may have none.
 */
int procmaps_read(pid_t pid, struct procmaps *maps, struct err *err);

/* The same from a text of this form; lines that are malformed are left out. */
void procmaps_parse(struct procmaps *maps, struct str text);
void procmaps_fini(struct procmaps *maps);

/* Which mapping holds an address of the process; NULL: none. */
const struct mapping *procmaps_find(const struct procmaps *maps, uint64_t address);

#endif
