/* SPDX-License-Identifier: MIT */
#include "symbol/tablecache.h"

#include "base/xalloc.h"
#include "symbol/buildid.h"
#include "symbol/cacheroom.h"
#include "symbol/filetable.h"
#include "symbol/regular.h"
#include "symbol/unittable.h"

#include <errno.h>
#include <fcntl.h>
#include <isa-l/crc64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRIES_MAX ((uint64_t)1 << 20)

/* To be raised when the form below changes; those of the tables count as well. */
#define CACHE_VERSION 2

static const char magic[8] = "MTTABLES";

/* The file: a head, the entries, and the tables. Numbers are those of this machine. */
struct head {
	char magic[8];
	uint32_t version, file_version, unit_version, pointer_size;
	uint64_t n_entries;
	uint64_t checksum;              /* of the entries */
	char build_id[BUILDID_HEX + 7]; /* with NULs behind */
};

_Static_assert(sizeof(struct head) % sizeof(uint64_t) == 0, "tables are read where they lie");

struct entry {
	uint64_t number, offset, size, checksum;
};

/* One that was put, or (with no bytes) is in the file. */
struct kept {
	struct entry entry;
	char *bytes;
};

struct tablecache {
	char *directory, *path;
	char build_id[BUILDID_HEX];
	int fd;         /* -1: there is no file, or it is closed */
	struct stat st; /* of a file that is closed; its mode is 0: there is none */
	struct kept *all;
	size_t n, cap;
	uint64_t bytes; /* of all tables */
	bool changed;
};

/* Whether the directory may be used: any that is not there yet, too. */
static bool is_ours(const char *directory)
{
	struct stat st;

	return geteuid() != 0 || stat(directory, &st) < 0 || st.st_uid == 0;
}

char *tablecache_directory(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* the specification says that relative paths are to be ignored */
	if (cache && cache[0] == '/')
		return is_ours(cache) ? xasprintf("%s/magic-trace", cache) : NULL;
	if (home && home[0] == '/')
		return is_ours(home) ? xasprintf("%s/.cache/magic-trace", home) : NULL;
	return NULL;
}

static uint64_t checksum(const void *bytes, size_t n)
{
	return crc64_ecma_refl(0, bytes, n);
}

static bool read_all(int fd, void *bytes, size_t n, uint64_t offset)
{
	char *p = bytes;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

static void add(struct tablecache *cache, const struct kept *kept)
{
	if (cache->n == cache->cap) {
		cache->cap = cache->cap ? 2 * cache->cap : 64;
		cache->all = xreallocarray(cache->all, cache->cap, sizeof(*cache->all));
	}
	cache->all[cache->n++] = *kept;
	cache->bytes += kept->entry.size;
}

static void remove_at(struct tablecache *cache, size_t i)
{
	cache->bytes -= cache->all[i].entry.size;
	free(cache->all[i].bytes);
	cache->all[i] = cache->all[--cache->n];
}

static struct head make_head(const struct tablecache *cache, uint64_t n_entries)
{
	struct head head = {
		.version = CACHE_VERSION,
		.file_version = FILETABLE_VERSION,
		.unit_version = UNITTABLE_VERSION,
		.pointer_size = sizeof(void *),
		.n_entries = n_entries,
	};

	memcpy(head.magic, magic, sizeof(magic));
	memcpy(head.build_id, cache->build_id, sizeof(cache->build_id));
	return head;
}

/* Whether the head is one that we write, but for the checksum. */
static bool head_is_ours(const struct tablecache *cache, const struct head *head)
{
	struct head ours = make_head(cache, head->n_entries);

	ours.checksum = head->checksum;
	return memcmp(head, &ours, sizeof(ours)) == 0 && head->n_entries <= ENTRIES_MAX;
}

static void read_entries(struct tablecache *cache, uint64_t size)
{
	struct entry *entries;
	struct head head;
	size_t n;

	if (!read_all(cache->fd, &head, sizeof(head), 0) || !head_is_ours(cache, &head))
		return;
	n = (size_t)head.n_entries;
	entries = xcalloc(n ? n : 1, sizeof(*entries));
	if (read_all(cache->fd, entries, n * sizeof(*entries), sizeof(head)) &&
	    checksum(entries, n * sizeof(*entries)) == head.checksum)
		for (size_t i = 0; i < n; i++)
			if (entries[i].offset <= size &&
			    entries[i].size <= size - entries[i].offset)
				add(cache, &(struct kept){ .entry = entries[i] });
	free(entries);
}

/* Whether nobody but us, or root, says what is in the directory; one that is not there is ours. */
static bool is_trusted(const char *directory)
{
	struct stat st;

	if (stat(directory, &st) < 0)
		return errno == ENOENT;
	return st.st_uid == geteuid() || st.st_uid == 0;
}

struct tablecache *tablecache_open(const char *directory, const char *build_id)
{
	struct tablecache *cache = xcalloc(1, sizeof(*cache));
	struct stat st = { 0 };

	cache->directory = xstrdup(directory);
	cache->path = xasprintf("%s/%s" CACHEROOM_SUFFIX, directory, build_id);
	snprintf(cache->build_id, sizeof(cache->build_id), "%s", build_id);
	cache->fd = is_trusted(directory) ? regular_open(cache->path, &st, NULL) : -1;
	/* somebody else's could say anything of what our programs are */
	if (cache->fd >= 0 && st.st_uid == geteuid() && st.st_size > 0)
		read_entries(cache, (uint64_t)st.st_size);
	return cache;
}

void tablecache_rest(struct tablecache *cache)
{
	if (cache->fd < 0)
		return;
	if (fstat(cache->fd, &cache->st) < 0)
		cache->st.st_mode = 0;
	close(cache->fd);
	cache->fd = -1;
}

/* The file, opened again if it was closed; -1: it is not there any more. */
static int file_of(struct tablecache *cache)
{
	struct stat st = { 0 };

	if (cache->fd >= 0 || !cache->st.st_mode)
		return cache->fd;
	cache->fd = regular_open(cache->path, &st, NULL);
	if (cache->fd >= 0 && regular_same(&st, &cache->st))
		return cache->fd;
	if (cache->fd >= 0)
		close(cache->fd);
	cache->fd = -1;
	cache->st.st_mode = 0;
	return -1;
}

/* The bytes of a table: those that were put, or else those in the file. */
static bool copy_bytes(struct tablecache *cache, const struct kept *kept, void *bytes)
{
	size_t size = (size_t)kept->entry.size;

	if (!kept->bytes)
		return read_all(file_of(cache), bytes, size, kept->entry.offset);
	memcpy(bytes, kept->bytes, size);
	return true;
}

bool tablecache_get(struct tablecache *cache, uint64_t number, struct blob *table)
{
	for (size_t i = 0; i < cache->n; i++) {
		const struct kept *kept = &cache->all[i];
		size_t size = (size_t)kept->entry.size;

		if (kept->entry.number != number)
			continue;
		*table = (struct blob){ .p = xmalloc(size ? size : 1), .n = size, .cap = size };
		if (copy_bytes(cache, kept, table->p) &&
		    checksum(table->p, size) == kept->entry.checksum)
			return true;
		blob_fini(table);
		return false;
	}
	return false;
}

void tablecache_put(struct tablecache *cache, uint64_t number, const struct blob *table)
{
	struct kept kept = { .entry = { .number = number, .size = table->n } };

	if (cache->n == ENTRIES_MAX || cache->bytes + table->n > TABLECACHE_FILE_MAX)
		return;
	kept.entry.checksum = checksum(table->p, table->n);
	/*
	 * One that is there already was found to be damaged; there may be more in a damaged file.
	 * Backwards, since the last one takes the place of what is removed.
	 */
	for (size_t i = cache->n; i-- > 0;)
		if (cache->all[i].entry.number == number)
			remove_at(cache, i);
	kept.bytes = xmemdup0(table->p, table->n);
	add(cache, &kept);
	cache->changed = true;
}

static bool write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
	}
	return true;
}

/* The tables that were in the file are copied from it. */
static bool write_table(const struct tablecache *cache, int fd, const struct kept *kept)
{
	size_t size = (size_t)kept->entry.size;
	char *bytes;
	bool done;

	if (kept->bytes)
		return write_all(fd, kept->bytes, size);
	bytes = xmalloc(size ? size : 1);
	done = read_all(cache->fd, bytes, size, kept->entry.offset) && write_all(fd, bytes, size);
	free(bytes);
	return done;
}

static bool write_file(const struct tablecache *cache, int fd)
{
	struct head head = make_head(cache, cache->n);
	struct entry *entries = xcalloc(cache->n, sizeof(*entries));
	uint64_t at = sizeof(head) + cache->n * sizeof(*entries);
	bool done;

	for (size_t i = 0; i < cache->n; i++) {
		entries[i] = cache->all[i].entry;
		entries[i].offset = at;
		at += entries[i].size;
	}
	head.checksum = checksum(entries, cache->n * sizeof(*entries));
	done = write_all(fd, &head, sizeof(head)) &&
	       write_all(fd, entries, cache->n * sizeof(*entries));
	free(entries);
	for (size_t i = 0; done && i < cache->n; i++)
		done = write_table(cache, fd, &cache->all[i]);
	return done;
}

/* Makes the directory, and the one above it, which need not be there in a new home. */
static bool make_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *above = xmemdup0(path, slash ? (size_t)(slash - path) : 0);
	bool there;

	if (above[0])
		mkdir(above, 0700);
	there = mkdir(path, 0700) == 0 || errno == EEXIST;
	free(above);
	return there;
}

/* Tables of a file that is not there any more are lost. */
static void forget_lost(struct tablecache *cache)
{
	if (file_of(cache) >= 0)
		return;
	for (size_t i = cache->n; i-- > 0;)
		if (!cache->all[i].bytes)
			remove_at(cache, i);
}

/* Under another name first: who reads meanwhile reads the old one. */
static void save(struct tablecache *cache)
{
	char *temporary;
	bool done;
	int fd;

	if (!make_directory(cache->directory) || !is_trusted(cache->directory))
		return;
	forget_lost(cache);
	temporary = xasprintf("%s" CACHEROOM_UNFINISHED, cache->path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		free(temporary);
		return;
	}
	done = write_file(cache, fd);
	if (close(fd) < 0 || !done || rename(temporary, cache->path) < 0)
		unlink(temporary);
	free(temporary);
	cacheroom_make(cache->directory, TABLECACHE_MAX);
}

void tablecache_close(struct tablecache *cache)
{
	if (!cache)
		return;
	if (cache->changed)
		save(cache);
	for (size_t i = 0; i < cache->n; i++)
		free(cache->all[i].bytes);
	if (cache->fd >= 0)
		close(cache->fd);
	free(cache->all);
	free(cache->directory);
	free(cache->path);
	free(cache);
}
