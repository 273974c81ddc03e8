/* SPDX-License-Identifier: MIT */
/*
 * sweep: removes from a directory what perf and we have written into it.
 *
 * Only names of entry_is_ours; of one that is a directory (perf record --kcore, --threads) all
 * that is in it. Symbolic links are removed, never followed, and nothing on another file system is
 * touched. Async-signal-safe, and without memory of its own: the guard calls it between fork(2)
 * and its end.
 */
#ifndef MT_RECORD_SWEEP_H
#define MT_RECORD_SWEEP_H

#include <stdbool.h>

/*
 * fd: the directory; its offset is left alone. Whether nothing of those names is left; if not,
 * errno says why.
 */
bool sweep_directory(int fd);

/* Removes the one name of it; whether that is gone. */
bool sweep_name(int fd, const char *name);

#endif
