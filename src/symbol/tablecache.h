/* SPDX-License-Identifier: MIT */
/*
 * tablecache: keeps tables of ELF files on disk, a file for each build-id, so that debug info is
 * read once.
 *
 * A cache that cannot be read or written is one that is empty. What is read from it is to be
 * checked as anything from outside.
 */
#ifndef MT_SYMBOL_TABLECACHE_H
#define MT_SYMBOL_TABLECACHE_H

#include "symbol/blob.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes of the tables of one ELF file, and of all files of the cache: the oldest ones go. */
#define TABLECACHE_FILE_MAX ((uint64_t)512 << 20)
#define TABLECACHE_MAX      ((uint64_t)2 << 30)

/* What is no unit's number stands for the file's own table. */
#define TABLECACHE_FILE UINT64_MAX

/* Likewise, of a file for which no debug info was found: true as long as none is put there. */
#define TABLECACHE_BARE (UINT64_MAX - 1)

struct tablecache;

/*
 * The directory of the user's cache: $XDG_CACHE_HOME/magic-trace, else $HOME/.cache/magic-trace
 * (XDG Base Directory Specification). NULL: there is none, or we are root and the home, or the
 * directory $XDG_CACHE_HOME, is another user's, as sudo(8) may leave it: root's files in there
 * would be in that user's way, and what is there is theirs to replace. The caller frees it.
 */
char *tablecache_directory(void);

/*
 * The tables of the ELF file with this build-id (hex digits), from the directory, which is made
 * when there is something to be kept. One that is neither ours nor root's is neither read nor
 * written to. Free with tablecache_close.
 */
struct tablecache *tablecache_open(const char *directory, const char *build_id)
	__attribute__((returns_nonnull));

/*
 * Writes what was put, if anything was, and removes what others had begun to write and did not end;
 * then frees. NULL is allowed.
 */
void tablecache_close(struct tablecache *cache);

/* Closes the file, which is opened again when it is needed and still the same one. */
void tablecache_rest(struct tablecache *cache);

/* The table with a number, for the caller to free; false: it was not put, or is damaged. */
bool tablecache_get(struct tablecache *cache, uint64_t number, struct blob *table);

/* Keeps a copy of a table. */
void tablecache_put(struct tablecache *cache, uint64_t number, const struct blob *table);

#endif
