/* SPDX-License-Identifier: MIT */
#include "record/sweep.h"

#include "record/entries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* perf.data/kcore_dir__PID/file is as deep as perf goes. */
#define DEPTH_MAX 8

/* As getdents64(2) gives it; readdir(3) is not async-signal-safe. */
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static bool remove_name(int fd, const char *name, unsigned int depth);

static bool is_wanted(const char *name, unsigned int depth)
{
	if (depth > 0)
		return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	return entry_is_ours(name);
}

/* One reading of the directory. How many were removed; *why: errno of one that was not, or 0. */
static unsigned long pass(int fd, unsigned int depth, int *why)
{
	char buf[4096] __attribute__((aligned(_Alignof(struct entry))));
	unsigned long removed = 0;
	long n;

	*why = 0;
	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct entry *entry = (const void *)(buf + at);

			at += entry->reclen;
			if (!is_wanted(entry->name, depth))
				continue;
			if (remove_name(fd, entry->name, depth))
				removed++;
			else
				*why = errno;
		}
	}
	/* a directory that cannot be read has who knows what in it */
	if (n < 0)
		*why = errno;
	return removed;
}

/* Takes fd. A directory may skip names while others are removed from it: read until none is. */
static bool empty(int fd, unsigned int depth)
{
	int why;

	while (pass(fd, depth, &why) > 0 && lseek(fd, 0, SEEK_SET) == 0)
		;
	close(fd);
	errno = why;
	return why == 0;
}

/* A directory named so in fd, on the same file system; -1. */
static int open_below(int fd, const char *name)
{
	int below = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat outer, inner;

	if (below < 0)
		return -1;
	if (fstat(fd, &outer) == 0 && fstat(below, &inner) == 0 && outer.st_dev == inner.st_dev)
		return below;
	close(below);
	errno = EXDEV;
	return -1;
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static bool remove_name(int fd, const char *name, unsigned int depth)
{
	int below;

	if (unlinkat(fd, name, 0) == 0 || errno == ENOENT)
		return true;
	/* EISDIR, which POSIX would have be EPERM: unlink(2) */
	if ((errno != EISDIR && errno != EPERM) || depth == DEPTH_MAX)
		return false;
	below = open_below(fd, name);
	if (below < 0)
		return false;
	empty(below, depth + 1);
	return unlinkat(fd, name, AT_REMOVEDIR) == 0;
}

bool sweep_directory(int fd)
{
	/* an open file of its own: fd's offset may be shared with other processes */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return own >= 0 && empty(own, 0);
}

bool sweep_name(int fd, const char *name)
{
	return remove_name(fd, name, 0);
}
