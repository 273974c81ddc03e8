/* SPDX-License-Identifier: MIT */
#include "symbol/debugfile.h"

#include "base/str.h"
#include "base/xalloc.h"
#include "symbol/buildid.h"
#include "symbol/elfopen.h"
#include "symbol/regular.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <isa-l/crc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_DIR "/usr/lib/debug"

struct wanted {
	const unsigned char *id;
	ssize_t id_length;
	const char *link; /* NULL: none */
	uint32_t crc;
};

static bool has_id(int fd, const struct wanted *wanted)
{
	Elf *elf = elfopen(fd, "", NULL);
	bool same = buildid_is(elf, wanted->id, (size_t)wanted->id_length);

	elf_end(elf);
	return same;
}

/* No further than the size that it has now: it may grow faster than it is read. */
static bool has_crc(int fd, off_t size, uint32_t wanted)
{
	unsigned char *buf = xmalloc(1 << 16);
	uint32_t crc = 0;
	off_t at = 0;

	while (at < size) {
		ssize_t n = pread(fd, buf, 1 << 16, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		crc = crc32_gzip_refl(crc, buf, (uint64_t)n);
		at += n;
	}
	free(buf);
	return at >= size && crc == wanted;
}

/* Takes the path over: it is *found, or freed. */
static int try(char *path, const struct wanted *wanted, char **found)
{
	struct stat st;
	int fd = regular_open(path, &st, NULL);

	if (fd >= 0 &&
	    (wanted->id_length ? has_id(fd, wanted) : has_crc(fd, st.st_size, wanted->crc))) {
		*found = path;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return -1;
}

static int try_id(struct str root, const struct wanted *wanted, char **found)
{
	char hex[2 * BUILDID_MAX + 1];

	buildid_hex(hex, sizeof(hex), wanted->id, (size_t)wanted->id_length);
	return try(xasprintf("%.*s" DEBUG_DIR "/.build-id/%.2s/%s.debug", (int)root.n, root.p, hex,
			     hex + 2),
		   wanted, found);
}

/* In the directory, in its .debug, and where it has its like below the debug directory. */
static int try_link(struct str root, struct str dir, const struct wanted *wanted, char **found)
{
	struct str inner = str_skip(dir, root.n);
	int fd;

	fd = try(xasprintf("%.*s/%s", (int)dir.n, dir.p, wanted->link), wanted, found);
	if (fd < 0)
		fd = try(xasprintf("%.*s/.debug/%s", (int)dir.n, dir.p, wanted->link), wanted,
			 found);
	if (fd < 0)
		fd = try(xasprintf("%.*s" DEBUG_DIR "%.*s/%s", (int)root.n, root.p, (int)inner.n,
				   inner.p, wanted->link),
			 wanted, found);
	return fd;
}

/* The "/proc/PID/root" that a path begins with, or nothing. */
static struct str root_of(const char *path)
{
	struct str none = STR("");
	const char *p;

	if (!path || strncmp(path, "/proc/", 6) != 0)
		return none;
	p = path + 6 + strspn(path + 6, "0123456789");
	if (strncmp(p, "/root/", 6) != 0)
		return none;
	return (struct str){ .p = path, .n = (size_t)(p - path) + 5 };
}

int debugfile_open(Elf *elf, const char *path, char **found)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct str root = root_of(path);
	struct wanted wanted = { 0 };
	const void *id;
	GElf_Word crc;
	int fd = -1;

	wanted.id_length = dwelf_elf_gnu_build_id(elf, &id);
	if (wanted.id_length < BUILDID_MIN || wanted.id_length > BUILDID_MAX)
		wanted.id_length = 0;
	wanted.id = id;
	wanted.link = dwelf_elf_gnu_debuglink(elf, &crc);
	wanted.crc = crc;
	if (wanted.id_length && root.n)
		fd = try_id(root, &wanted, found);
	if (wanted.id_length && fd < 0)
		fd = try_id(STR(""), &wanted, found);
	if (fd < 0 && slash && wanted.link && !strchr(wanted.link, '/'))
		fd = try_link(root, (struct str){ .p = path, .n = (size_t)(slash - path) }, &wanted,
			      found);
	return fd;
}

/* When a directory was changed last; 0: it is not there. */
static uint64_t changed(char *path)
{
	struct stat st;
	bool there = stat(path, &st) == 0;

	free(path);
	return there ? (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec : 0;
}

/* What was there before and a new number, mixed. */
static uint64_t mix(uint64_t state, uint64_t number)
{
	return (state ^ number) * 0x9e3779b97f4a7c15 + (state >> 29);
}

uint64_t debugfile_state(const char *path, const char *build_id)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path) : 0;
	struct str root = root_of(path);
	uint64_t state = 1;

	state = mix(state, changed(xasprintf("%.*s/", n, path)));
	state = mix(state, changed(xasprintf("%.*s/.debug", n, path)));
	state = mix(state, changed(xasprintf("%.*s" DEBUG_DIR "%.*s", (int)root.n, root.p,
					     n - (int)root.n, path + root.n)));
	state = mix(state, changed(xasprintf("%.*s" DEBUG_DIR "/.build-id/%.2s", (int)root.n,
					     root.p, build_id)));
	return mix(state, changed(xasprintf(DEBUG_DIR "/.build-id/%.2s", build_id)));
}
