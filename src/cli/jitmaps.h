/* SPDX-License-Identifier: MIT */
/* jitmaps: the functions that recorded programs had compiled while they ran. */
#ifndef MT_CLI_JITMAPS_H
#define MT_CLI_JITMAPS_H

#include "base/err.h"
#include "base/str.h"
#include "record/recording.h"
#include "symbol/perfmap.h"

#include <stdbool.h>
#include <stdint.h>

struct jitmaps;

/*
 * Those that are kept with the recording: recording-PID.map beside its data files, which run and
 * attach put there, or else perf-PID.map. (Those in /tmp perf reads by itself.) Read when they are
 * first asked for. Believed are only files of root's, of ours, and of the data file's owner. symfs:
 * the recording's own paths are below this directory; NULL: they are not. Both are borrowed. Free
 * with jitmaps_free.
 */
struct jitmaps *jitmaps_new(const struct recording *recording, const char *symfs)
	__attribute__((returns_nonnull));
void jitmaps_free(struct jitmaps *jitmaps);

/*
 * Process pid has mapped a jitdump (symbol/jitdump.h) of this path and inode (0: not known): the
 * file of its name beside the data files is read, else the one at the path, which is believed as
 * well when it is the very one that was mapped.
 */
void jitmaps_dump(struct jitmaps *jitmaps, int32_t pid, struct str path, uint64_t inode);

/* The function of process pid that has the code at an address. */
bool jitmaps_find(struct jitmaps *jitmaps, int32_t pid, uint64_t address,
		  struct perfmap_function *function);

/* The first file that is there and could not be read, or not as a whole; NULL: none. */
const struct err *jitmaps_trouble(const struct jitmaps *jitmaps);

#endif
