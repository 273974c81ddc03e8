/* SPDX-License-Identifier: MIT */
/* datafile: what perf record has written, seen from outside. */
#ifndef MT_PERF_DATAFILE_H
#define MT_PERF_DATAFILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

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
 * How many files there are beside it that --switch-output has given their name, DATA.TIMESTAMP
 * (perf-record(1)); DATA.old is none.
 */
size_t datafile_count_named(const char *data);

#endif
