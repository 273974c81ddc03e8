/* SPDX-License-Identifier: MIT */
/* regular: opens files that others name, never what is no plain file. */
#ifndef MT_SYMBOL_REGULAR_H
#define MT_SYMBOL_REGULAR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Opens a regular file to be read and fills *st (which may be NULL). The descriptor, or -1 with
 * err, and errno set: it cannot be opened, or is a directory, a FIFO, a device, ... (EINVAL): those
 * are not even opened, since that alone may wait or have an effect.
 */
int regular_open(const char *path, struct stat *st, struct err *err);

/* Whether a path leads to a regular file or to none, so that to open it does not wait. */
bool regular_or_none(const char *path);

/* Whether both are of one file, which was not written to in between. */
bool regular_same(const struct stat *a, const struct stat *b);

/*
 * All bytes of a regular file, no more of it than max, and a NUL behind them, for the caller to
 * free; *n: how many. The size that the file is said to have does not count, so files of /proc can
 * be read. NULL with err: it cannot be opened or read.
 */
char *regular_text(const char *path, size_t max, size_t *n, struct err *err);

/* Whose files are believed, beside root's and ours. */
struct regular_trust {
	uid_t user;     /* whose are as well */
	uint64_t inode; /* and the one of this number; 0: none */
};

/*
 * As regular_text, of a file that lies where others may put one (/tmp) and is to be believed: NULL
 * as well when it is somebody else's, or a link.
 */
char *regular_trusted(const char *path, const struct regular_trust *trust, size_t max, size_t *n,
		      struct err *err);

#endif
