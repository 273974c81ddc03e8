/* SPDX-License-Identifier: MIT */
/* cacheroom: keeps the directory of the cache (tablecache.h) from growing. */
#ifndef MT_SYMBOL_CACHEROOM_H
#define MT_SYMBOL_CACHEROOM_H

#include <stdint.h>

/* What the names of its files end in; one that is being written has the other behind. */
#define CACHEROOM_SUFFIX     ".tables"
#define CACHEROOM_UNFINISHED ".XXXXXX" /* as of mkstemp(3) */

/*
 * Removes the files that were written longest ago until all have no more than max bytes, and those
 * that somebody began to write an hour ago or earlier. Other files are left alone.
 */
void cacheroom_make(const char *directory, uint64_t max);

#endif
