/* SPDX-License-Identifier: MIT */
/* datafile: what perf record has written, seen from outside. */
#ifndef MT_PERF_DATAFILE_H
#define MT_PERF_DATAFILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Records of perf's own, which the kernel does not write (tools/lib/perf/include/perf/event.h). */
#define DATAFILE_TRACING_DATA  66
#define DATAFILE_AUXTRACE_INFO 70
#define DATAFILE_AUXTRACE      71
#define DATAFILE_COMPRESSED    81
#define DATAFILE_COMPRESSED2   83

/* The file's front (perf.data-file-format.txt in tools/perf/Documentation). */
struct datafile_section {
	uint64_t offset, size;
};

struct datafile_head {
	char magic[8]; /* DATAFILE_MAGIC */
	uint64_t size, attr_size;
	struct datafile_section attrs, data, event_types;
	uint64_t features[4];
};

#define DATAFILE_MAGIC "PERFILE2"

/*
 * The size of the data file in bytes; 0 when there is none. With --kcore it is a directory, and the
 * file is DATA/data in it (perf-record(1), perf.data-directory-format.txt in tools/perf).
 */
uint64_t datafile_bytes(const char *data);

/*
 * Opens the data file for reading: a regular one, or the one in such a directory. The descriptor,
 * which is the caller's, or -1 with err.
 */
int datafile_open(const char *data, struct err *err);

/*
 * Reads up to size bytes at an offset of a file: so many, fewer only at the file's end; -1 with
 * errno set.
 */
ssize_t datafile_read(int fd, void *buf, size_t size, uint64_t offset);

/* Bytes of the tracing data behind their record, which says that there are `size`. */
static inline uint64_t datafile_tracing_bytes(uint32_t size)
{
	return ((uint64_t)size + 7) / 8 * 8;
}

/*
 * How many files there are beside it that --switch-output has given their name, DATA.TIMESTAMP
 * (perf-record(1)); DATA.old is none.
 */
size_t datafile_count_named(const char *data);

#endif
