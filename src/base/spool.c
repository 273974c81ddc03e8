/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_RECORDS 8u

struct spool_pool {
	size_t budget;
	size_t used; /* bytes of record memory of all spools */
	int fd;      /* the unlinked file, or -1 */
	uint64_t end;
	uint64_t *holes; /* file offsets of blocks that were given back */
	size_t n_holes, cap_holes;
	size_t hole_size; /* bytes of each hole; blocks of another size are not reused */
	struct err err;
	bool failed;
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

int spool_pool_error(const struct spool_pool *pool, struct err *err)
{
	if (!pool->failed)
		return 0;
	if (err)
		*err = pool->err;
	return -1;
}

/* Keeps the first failure. errno says why. */
static void fail(struct spool_pool *pool, const char *what)
{
	if (pool->failed)
		return;
	pool->failed = true;
	err_errno(&pool->err, "%s a temporary file for spans that have to wait", what);
	err_hint(&pool->err, "set TMPDIR to a directory with more room");
}

static int open_file(struct spool_pool *pool)
{
	const char *dir = getenv("TMPDIR");
	char *path;

	if (pool->fd >= 0)
		return 0;
	if (!dir || !*dir)
		dir = "/tmp";
	pool->fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (pool->fd >= 0)
		return 0;
	/* Not every file system can make a file without a name. */
	path = xasprintf("%s/magic-trace-spool-XXXXXX", dir);
	pool->fd = mkostemp(path, O_CLOEXEC);
	if (pool->fd >= 0)
		unlink(path);
	else
		fail(pool, "cannot make");
	free(path);
	return pool->fd >= 0 ? 0 : -1;
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

static uint64_t take_place(struct spool_pool *pool, size_t size)
{
	uint64_t off;

	if (pool->n_holes && pool->hole_size == size)
		return pool->holes[--pool->n_holes];
	off = pool->end;
	pool->end += size;
	return off;
}

static void give_place(struct spool_pool *pool, uint64_t off, size_t size)
{
	if (pool->n_holes && pool->hole_size != size)
		return;
	pool->hole_size = size;
	if (pool->n_holes == pool->cap_holes) {
		pool->cap_holes = pool->cap_holes ? pool->cap_holes * 2 : 64;
		pool->holes = xreallocarray(pool->holes, pool->cap_holes, sizeof(*pool->holes));
	}
	pool->holes[pool->n_holes++] = off;
}

void spool_init(struct spool *s, struct spool_pool *pool, size_t rec_size)
{
	*s = (struct spool){ .pool = pool, .rec_size = rec_size };
}

static void drop_chunks(struct spool *s)
{
	uint32_t i;

	for (i = 0; i < s->n_chunks; i++)
		give_place(s->pool, s->chunks[i], SPOOL_BLOCK * s->rec_size);
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

/* Writes the full block in memory to the file. On failure the block is dropped. */
static void spill(struct spool *s)
{
	struct spool_pool *pool = s->pool;
	size_t size = SPOOL_BLOCK * s->rec_size;
	uint64_t off;

	s->n_mem = 0;
	if (pool->failed || open_file(pool) < 0)
		return;
	off = take_place(pool, size);
	if (block_io(pool->fd, true, s->mem, size, off) < 0) {
		fail(pool, "cannot write to");
		return;
	}
	if (s->n_chunks == s->cap_chunks) {
		s->cap_chunks = s->cap_chunks ? s->cap_chunks * 2 : 16;
		s->chunks = xreallocarray(s->chunks, s->cap_chunks, sizeof(*s->chunks));
	}
	s->chunks[s->n_chunks++] = off;
}

/* Makes room in memory: more of it while the budget lasts, then the file. */
static void grow(struct spool *s)
{
	struct spool_pool *pool = s->pool;
	uint32_t cap;

	if (s->cap_mem >= SPOOL_BLOCK && s->cap_mem % SPOOL_BLOCK == 0 &&
	    (s->n_chunks || pool->used >= pool->budget)) {
		/* Keep one block; what is more goes to the file, a block at a time. */
		uint32_t extra = s->n_mem - SPOOL_BLOCK, i;
		char *mem = s->mem;

		for (i = 0; i * SPOOL_BLOCK <= extra; i++) {
			s->mem = mem + (size_t)i * SPOOL_BLOCK * s->rec_size;
			spill(s);
		}
		s->mem = mem;
		if (s->cap_mem > SPOOL_BLOCK) {
			pool->used -= (s->cap_mem - SPOOL_BLOCK) * s->rec_size;
			s->cap_mem = SPOOL_BLOCK;
			s->mem = xreallocarray(s->mem, SPOOL_BLOCK, s->rec_size);
		}
		return;
	}
	cap = s->cap_mem ? s->cap_mem * 2 : FIRST_RECORDS;
	s->mem = xreallocarray(s->mem, cap, s->rec_size);
	pool->used += (cap - s->cap_mem) * s->rec_size;
	s->cap_mem = cap;
}

void *spool_push(struct spool *s)
{
	if (s->n_mem == s->cap_mem)
		grow(s);
	return s->mem + (size_t)s->n_mem++ * s->rec_size;
}

static bool load(struct spool *s, uint32_t chunk, char *buf)
{
	if (block_io(s->pool->fd, false, buf, SPOOL_BLOCK * s->rec_size, s->chunks[chunk]) == 0)
		return true;
	fail(s->pool, "cannot read back");
	return false;
}

void spool_each(struct spool *s, void (*fn)(void *ctx, void *rec), void *ctx)
{
	char *buf;
	uint32_t c, i;

	if (s->n_chunks) {
		buf = xmalloc(SPOOL_BLOCK * s->rec_size);
		for (c = 0; c < s->n_chunks; c++)
			for (i = 0; (i > 0 || load(s, c, buf)) && i < SPOOL_BLOCK; i++)
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
	buf = xmalloc(SPOOL_BLOCK * s->rec_size);
	for (c = s->n_chunks; c-- > 0;) {
		if (!load(s, c, buf))
			continue;
		for (i = SPOOL_BLOCK; i-- > 0;)
			fn(ctx, buf + (size_t)i * s->rec_size);
	}
	free(buf);
}
