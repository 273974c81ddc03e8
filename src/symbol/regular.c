/* SPDX-License-Identifier: MIT */
#include "symbol/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int regular_open(const char *path, struct stat *st, struct err *err)
{
	char again[40];
	struct stat own;
	int place, fd;

	/* O_PATH finds the file without opening it; what was looked at is then what is opened. */
	place = open(path, O_PATH | O_CLOEXEC);
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
