/* SPDX-License-Identifier: MIT */
/*
 * spool: a list of records of one size that may grow without the process growing with it.
 *
 * What cannot be written yet (spans whose begin is not known, an open filter region, a transaction)
 * waits here. Small lists are plain memory. When all spools of a pool together hold more than the
 * pool's budget, the one that grows writes what it holds to one unlinked temporary file.
 */
#ifndef MT_BASE_SPOOL_H
#define MT_BASE_SPOOL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shared by many spools: the memory budget, the file, and the first error. */
struct spool_pool;

/*
 * A pool whose spools keep at most about `budget` bytes in memory. The file is made in $TMPDIR (or
 * /tmp) only when it is needed, and is never visible under a name.
 */
struct spool_pool *spool_pool_new(size_t budget) __attribute__((returns_nonnull));
void spool_pool_free(struct spool_pool *pool);

/*
 * Whether the file could not be made or written, so that all is kept in memory, whatever the
 * budget: true, with why in err (may be NULL). Nothing is lost by it.
 */
bool spool_pool_in_memory(const struct spool_pool *pool, struct err *err);

/*
 * 0 while all could be read back; else -1 with the first failure in err (may be NULL): records are
 * lost, and what was made of them is worth nothing.
 */
int spool_pool_error(const struct spool_pool *pool, struct err *err);

/* One list. A record at zero bytes is an empty list with no memory; init gives it its pool. */
struct spool {
	struct spool_pool *pool;
	char *mem;          /* the newest records, not yet spilled; owned */
	uint64_t *chunks;   /* file offsets of spilled blocks, per_block records each; owned */
	size_t rec_size;    /* bytes a record */
	uint32_t per_block; /* records in SPOOL_BLOCK bytes */
	uint32_t n_mem;     /* records in mem */
	uint32_t cap_mem;   /* records that fit in mem */
	uint32_t n_chunks;  /* spilled blocks */
	uint32_t cap_chunks;
};

/* Bytes of a block in the file, whatever the records: so that space is used again. */
#define SPOOL_BLOCK 16384u

/* An empty list of records of rec_size bytes, at most SPOOL_BLOCK. Allocates nothing. */
void spool_init(struct spool *s, struct spool_pool *pool, size_t rec_size);

/* Frees the memory and gives the file space back; the spool may be initialised again. */
void spool_fini(struct spool *s);

/* Empties the list; memory is kept for the next use. */
void spool_clear(struct spool *s);

/* Room for one more record at the end; to be filled before any other call on this spool. */
void *spool_push(struct spool *s);

/* How many records. */
static inline uint64_t spool_count(const struct spool *s)
{
	return (uint64_t)s->n_chunks * s->per_block + s->n_mem;
}

/*
 * Calls fn on each record, first to last (spool_each) or last to first (spool_each_back). fn may
 * change the record's copy that it is given, and must not push to or clear this spool.
 */
void spool_each(struct spool *s, void (*fn)(void *ctx, void *rec), void *ctx);
void spool_each_back(struct spool *s, void (*fn)(void *ctx, void *rec), void *ctx);

#endif
