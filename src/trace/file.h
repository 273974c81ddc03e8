/* SPDX-License-Identifier: MIT */
/*
 * file: the output file, written under a temporary name beside it and put in place at the end.
 *
 * A regular file that is there already becomes FILE.old then, and not before. A symbolic link to a
 * regular file is followed: the file that it points to is replaced (and kept beside that), the link
 * stays. Devices and pipes have no temporary file: they are written as they are. A link, pipe or
 * device that another user has put where everybody may put one is refused. When sudo started us,
 * the file is in the end its user's.
 */
#ifndef MT_TRACE_FILE_H
#define MT_TRACE_FILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct file;

/*
 * 0 and *file, or -1 with err and a hint: no such directory, not writable, a directory, a symbolic
 * link to nothing, planted by another user. Ends with file_commit or file_discard.
 */
int file_create(const char *path, struct file **file, struct err *err);

/* Appends n bytes. -1 with err (disk full, pipe closed, ...). */
int file_write(struct file *file, const void *p, size_t n, struct err *err);

/* How many bytes have been written. */
uint64_t file_bytes(const struct file *file);

/*
 * Closes the file, puts it in place and frees it. -1 with err when that failed: then the temporary
 * file is removed, and what was at path is there again.
 */
int file_commit(struct file *file, struct err *err);

/* Removes the temporary file and frees file; path is left alone. file may be NULL. */
void file_discard(struct file *file);

/* Removes the newest temporary file, if there is one. Async-signal-safe. */
void file_unlink_temporary(void);

#endif
