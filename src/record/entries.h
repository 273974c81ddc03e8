/* SPDX-License-Identifier: MIT */
/* entries: the names in a recording directory that are perf's or ours. */
#ifndef MT_RECORD_ENTRIES_H
#define MT_RECORD_ENTRIES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* perf record's default name, and what it puts before the timestamp of --switch-output. */
#define ENTRY_DATA "perf.data"

#define ENTRY_JSON "recording.json"
/* Under which recording.json is written before it gets its name. */
#define ENTRY_JSON_NEW "recording.json.new"

/* The size of a name of entry_map_name. */
#define ENTRY_MAP_NAME 32

/*
 * Where the functions that a JIT compiler of process pid has told of are kept,
 * "recording-PID.map". Not the name that it writes: DIR may be /tmp itself.
 */
void entry_map_name(int32_t pid, char name[ENTRY_MAP_NAME]);

/*
 * Whether a file of this name is a data file: perf.data, or perf.data.YYYYMMDDhhmmssnn. Not
 * perf.data.old, which is an earlier recording, and not what else people keep beside it.
 * Async-signal-safe.
 */
bool entry_is_data(const char *name);

/*
 * Whether perf or we write a file of this name into the directory: data files, perf.data.old
 * (what perf record makes of a perf.data that is there), recording.json, the socket for QEMU's
 * plugin, maps. Async-signal-safe.
 */
bool entry_is_ours(const char *name);

/* Whether path is a directory that perf takes as one data file: one with a file "data" in it. */
bool entry_is_data_directory(const char *path);

/* Its bytes; when it is a directory (perf record --kcore, --threads), of the files in it. */
uint64_t entry_size(const char *path);

/*
 * 0 when perf can read it, else -1 with err: not there, no permission, neither a regular file nor
 * a directory (to open a FIFO would wait for its writer).
 */
int entry_check(const char *path, struct err *err);

#endif
