/* SPDX-License-Identifier: MIT */
/* outfile: a file that is written from front to back, but for its head, which is written last. */
#ifndef MT_SOFT_OUTFILE_H
#define MT_SOFT_OUTFILE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct outfile;

/* Creates the file, or empties it, readable by its owner only. -1 with err. */
int outfile_open(const char *path, struct outfile **file, struct err *err);

/* Appends n bytes. The first failure is kept for outfile_close; what follows it is dropped. */
void outfile_put(struct outfile *file, const void *bytes, size_t n);

/* Overwrites the first n bytes of the file, all of which have been put. */
void outfile_put_head(struct outfile *file, const void *bytes, size_t n);

/* How many bytes have been put: where the next one goes. */
uint64_t outfile_size(const struct outfile *file);

/* Its descriptor. */
int outfile_fd(const struct outfile *file);

/* Writes what is left, and frees it. -1 with err: something could not be written. */
int outfile_close(struct outfile *file, struct err *err);

/* Frees it and writes nothing more. NULL is fine. */
void outfile_abandon(struct outfile *file);

#endif
