/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include "base/tempfile.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_RECORDS 4u

struct spool_pool {
	size_t budget;
	size_t used; /* bytes of record memory of all spools */
	int fd;      /* the unlinked file, or -1 */
	uint64_t end;
	uint64_t *holes; /* file offsets of blocks that were given back */
	size_t n_holes, cap_holes;
	bool in_memory; /* there is no file, for the reason in no_file */
	bool lost;      /* records could not be read back, for the reason in err */
	struct err no_file, err;
};

struct spool_pool *spool_pool_new(size_t budget)
{
	struct spool_pool *pool = xcalloc(1, sizeof(*pool));

	pool->budget = budget;
	pool->fd = -1;
	return pool;
}

void spool_pool_free(struct spool_pool *pool)
{
	if (!pool)
		return;
	if (pool->fd >= 0)
		close(pool->fd);
	free(pool->holes);
	free(pool);
}

bool spool_pool_in_memory(const struct spool_pool *pool, struct err *err)
{
	if (pool->in_memory && err)
		*err = pool->no_file;
	return pool->in_memory;
}

int spool_pool_error(const struct spool_pool *pool, struct err *err)
{
	if (!pool->lost)
		return 0;
	if (err)
		*err = pool->err;
	return -1;
}

/* The file is no use, errno says why: what it has stays there, what comes is kept in memory. */
static int give_up_file(struct spool_pool *pool, const char *what)
{
	pool->in_memory = true;
	err_errno(&pool->no_file, "%s a temporary file: what has to wait is kept in memory", what);
	return err_hint(&pool->no_file, "set TMPDIR to a directory with more room");
}

static int open_file(struct spool_pool *pool)
{
	if (pool->fd < 0)
		pool->fd = tempfile_open("magic-trace-spool");
	return pool->fd >= 0 ? 0 : give_up_file(pool, "cannot make");
}

/* Writes or reads all of a block. A file that ends early is an error (EIO). */
static int block_io(int fd, bool write, char *p, size_t n, uint64_t off)
{
	while (n) {
		ssize_t r = write ? pwrite(fd, p, n, (off_t)off) : pread(fd, p, n, (off_t)off);

		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0)
			errno = write ? ENOSPC : EIO;
		if (r <= 0)
			return -1;
		p += r;
		n -= (size_t)r;
		off += (uint64_t)r;
	}
	return 0;
}

static uint64_t take_place(struct spool_pool *pool)
{
	uint64_t off;

	if (pool->n_holes)
		return pool->holes[--pool->n_holes];
	off = pool->end;
	pool->end += SPOOL_BLOCK;
	return off;
}

static void give_place(struct spool_pool *pool, uint64_t off)
{
	if (pool->n_holes == pool->cap_holes) {
		pool->cap_holes = pool->cap_holes ? pool->cap_holes * 2 : 64;
		pool->holes = xreallocarray(pool->holes, pool->cap_holes, sizeof(*pool->holes));
	}
	pool->holes[pool->n_holes++] = off;
}

void spool_init(struct spool *s, struct spool_pool *pool, size_t rec_size)
{
	*s = (struct spool){
		.pool = pool,
		.rec_size = rec_size,
		.per_block = (uint32_t)(SPOOL_BLOCK / rec_size),
	};
}

static void drop_chunks(struct spool *s)
{
	uint32_t i;

	for (i = 0; i < s->n_chunks; i++)
		give_place(s->pool, s->chunks[i]);
	s->n_chunks = 0;
}

void spool_fini(struct spool *s)
{
	if (!s->pool)
		return;
	drop_chunks(s);
	s->pool->used -= s->cap_mem * s->rec_size;
	free(s->mem);
	free(s->chunks);
	spool_init(s, s->pool, s->rec_size);
}

void spool_clear(struct spool *s)
{
	/*
	 * Memory is kept, so that a list which fills and empties all the time costs nothing; but
	 * not the memory of a list that was large once, as long as others may need it.
	 */
	if (s->n_chunks || (s->cap_mem > 64 && s->pool->used > s->pool->budget / 2))
		spool_fini(s);
	s->n_mem = 0;
}

/* Writes the block of records at p to the file. -1: it could not be, and stays where it is. */
static int spill(struct spool *s, char *p)
{
	struct spool_pool *pool = s->pool;
	uint64_t off;

	if (pool->in_memory || open_file(pool) < 0)
		return -1;
	off = take_place(pool);
	if (block_io(pool->fd, true, p, s->per_block * s->rec_size, off) < 0) {
		give_up_file(pool, "cannot write");
		give_place(pool, off);
		return -1;
	}
	if (s->n_chunks == s->cap_chunks) {
		s->cap_chunks = s->cap_chunks ? s->cap_chunks * 2 : 16;
		s->chunks = xreallocarray(s->chunks, s->cap_chunks, sizeof(*s->chunks));
	}
	s->chunks[s->n_chunks++] = off;
	return 0;
}

static void resize(struct spool *s, uint32_t cap)
{
	s->mem = xreallocarray(s->mem, cap, s->rec_size);
	s->pool->used += cap * s->rec_size;
	s->pool->used -= s->cap_mem * s->rec_size;
	s->cap_mem = cap;
}

/* Moves all whole blocks from memory to the file, the oldest first. */
static void spill_blocks(struct spool *s)
{
	uint32_t done = 0;

	while (s->n_mem - done >= s->per_block && spill(s, s->mem + done * s->rec_size) == 0)
		done += s->per_block;
	s->n_mem -= done;
	memmove(s->mem, s->mem + done * s->rec_size, s->n_mem * s->rec_size);
	if (s->n_mem == 0 && s->cap_mem > s->per_block)
		resize(s, s->per_block);
}

/* Makes room in memory: by writing to the file when the budget is used up, else by more of it. */
static void grow(struct spool *s)
{
	bool spills = s->n_chunks || s->pool->used >= s->pool->budget;
	uint32_t cap = s->cap_mem ? s->cap_mem * 2 : FIRST_RECORDS;

	if (spills && s->n_mem >= s->per_block)
		spill_blocks(s);
	if (s->n_mem < s->cap_mem)
		return;
	/* up to one block, and then whole ones */
	if (s->cap_mem < s->per_block && cap > s->per_block)
		cap = s->per_block;
	resize(s, cap);
}

void *spool_push(struct spool *s)
{
	if (s->n_mem == s->cap_mem)
		grow(s);
	return s->mem + (size_t)s->n_mem++ * s->rec_size;
}

static bool load(struct spool *s, uint32_t chunk, char *buf)
{
	struct spool_pool *pool = s->pool;

	if (block_io(pool->fd, false, buf, s->per_block * s->rec_size, s->chunks[chunk]) == 0)
		return true;
	if (!pool->lost)
		err_errno(&pool->err, "cannot read back a temporary file: spans are lost");
	pool->lost = true;
	return false;
}

void spool_each(struct spool *s, void (*fn)(void *ctx, void *rec), void *ctx)
{
	char *buf;
	uint32_t c, i;

	if (s->n_chunks) {
		buf = xmalloc(SPOOL_BLOCK);
		for (c = 0; c < s->n_chunks; c++)
			for (i = 0; (i > 0 || load(s, c, buf)) && i < s->per_block; i++)
				fn(ctx, buf + i * s->rec_size);
		free(buf);
	}
	for (i = 0; i < s->n_mem; i++)
		fn(ctx, s->mem + (size_t)i * s->rec_size);
}

void spool_each_back(struct spool *s, void (*fn)(void *ctx, void *rec), void *ctx)
{
	char *buf;
	uint32_t c, i;

	for (i = s->n_mem; i-- > 0;)
		fn(ctx, s->mem + (size_t)i * s->rec_size);
	if (!s->n_chunks)
		return;
	buf = xmalloc(SPOOL_BLOCK);
	for (c = s->n_chunks; c-- > 0;) {
		if (!load(s, c, buf))
			continue;
		for (i = s->per_block; i-- > 0;)
			fn(ctx, buf + (size_t)i * s->rec_size);
	}
	free(buf);
}
