/* SPDX-License-Identifier: MIT */
/*
 * mmaps: what perf's data file says of the mappings of processes: where their files lay.
 *
 * Read from the file itself, not from what `perf script --show-mmap-events` prints: that would be a
 * second run of perf over all of it, with all samples between the mappings, and paths that cannot
 * be told from the text around them. The form is described in the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h.
 */
#ifndef MT_PERF_MMAPS_H
#define MT_PERF_MMAPS_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MMAPS_BUILD_ID_MAX 20

struct mmaps_build_id {
	uint8_t bytes[MMAPS_BUILD_ID_MAX];
	size_t n; /* 0: not known */
};

/* [start, end) of process pid holds the file from offset on. */
struct mmaps_mapping {
	uint64_t start, end, offset;
	uint64_t inode; /* 0: not known */
	struct mmaps_build_id build_id;
	struct str path; /* borrowed for the call; "//anon", "[vdso]" and the like are no files */
	int32_t pid;     /* -1: of the kernel */
};

/* Who is told; all must be set. */
struct mmaps_sink {
	void *ctx;
	/* A mapping that can hold code, in the order of the file. */
	void (*mapping)(void *ctx, const struct mmaps_mapping *mapping);
	/* A process begins as a copy of its parent. */
	void (*fork)(void *ctx, int32_t pid, int32_t parent);
	/* The build-id of a file that had samples: perf record looks it up when it ends. */
	void (*build_id)(void *ctx, struct str path, const struct mmaps_build_id *id);
};

/*
 * Reads a data file: a regular one, or the directory that perf record --kcore makes. Build-ids are
 * told first. 0; or -1 with err, when it is none that can be read to its end (damaged, compressed,
 * of another byte order): what stood before has been told then.
 */
int mmaps_read(const char *data, const struct mmaps_sink *sink, struct err *err);

#endif
