/* SPDX-License-Identifier: MIT */
#include "symbol/regular.h"

#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* As regular_open, with more flags of open(2). */
static int open_as(const char *path, int flags, struct stat *st, struct err *err)
{
	char again[40];
	struct stat own;
	int place, fd;

	/* O_PATH finds the file without opening it; what was looked at is then what is opened. */
	place = open(path, O_PATH | O_CLOEXEC | flags);
	if (place < 0)
		return err_errno(err, "%s", path);
	st = st ? st : &own;
	if (fstat(place, st) < 0 || !S_ISREG(st->st_mode)) {
		close(place);
		errno = EINVAL;
		return err_set(err, "%s: it is not a regular file", path);
	}
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	fd = open(again, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		err_errno(err, "%s", path);
	close(place);
	return fd;
}

int regular_open(const char *path, struct stat *st, struct err *err)
{
	return open_as(path, 0, st, err);
}

bool regular_or_none(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 || S_ISREG(st.st_mode);
}

bool regular_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Room for what comes, with one byte more for the NUL. */
static char *grow(char *text, size_t n, size_t *cap, size_t max)
{
	if (n < *cap)
		return text;
	*cap = *cap < max / 2 ? 2 * *cap : max;
	return xrealloc(text, *cap + 1);
}

/* Takes fd over; -1: nothing is read. */
static char *read_text(int fd, const char *path, size_t max, size_t *n, struct err *err)
{
	size_t cap = max < 65536 ? max : 65536;
	ssize_t got = 1;
	char *text;

	if (fd < 0)
		return NULL;
	text = xmalloc(cap + 1);
	for (*n = 0; *n < max && got;) {
		text = grow(text, *n, &cap, max);
		got = read(fd, text + *n, cap - *n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		*n += (size_t)got;
	}
	if (got < 0) {
		err_errno(err, "%s", path);
		free(text);
		text = NULL;
	} else {
		text[*n] = '\0';
	}
	close(fd);
	return text;
}

char *regular_text(const char *path, size_t max, size_t *n, struct err *err)
{
	return read_text(regular_open(path, NULL, err), path, max, n, err);
}

char *regular_trusted(const char *path, const struct regular_trust *trust, size_t max, size_t *n,
		      struct err *err)
{
	struct stat st = { 0 };
	int fd = open_as(path, O_NOFOLLOW, &st, err);

	if (fd >= 0 && st.st_uid != 0 && st.st_uid != geteuid() && st.st_uid != trust->user &&
	    (!trust->inode || st.st_ino != trust->inode)) {
		close(fd);
		err_set(err, "%s: it is another user's (%u)", path, (unsigned)st.st_uid);
		return NULL;
	}
	return read_text(fd, path, max, n, err);
}
