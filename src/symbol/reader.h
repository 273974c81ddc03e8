/* SPDX-License-Identifier: MIT */
/*
 * reader: a process of its own that reads one ELF file and its debug info for us.
 *
 * Debug info may be damaged, or made to harm its reader, and elfutils reads it into memory as it
 * is: it may crash, never end, or take all memory there is. Then only this process ends. What it
 * sends is checked as if it came from anybody.
 */
#ifndef MT_SYMBOL_READER_H
#define MT_SYMBOL_READER_H

#include "base/err.h"
#include "symbol/blob.h"

#include <stdbool.h>
#include <stdint.h>

/* CPU time and memory that a reader may take: 500 MB of debug info take 10 s and 2 GB at most. */
#define READER_CPU_SECONDS 60
#define READER_MEMORY      ((uint64_t)8 << 30)

struct reader;

/*
 * Starts one. fd is open for the file that `path` leads to, and stays the caller's. With `fetch`
 * servers of debug info may be asked (debuginfo_open). -1 with err: no process can be made.
 */
int reader_start(int fd, const char *path, bool fetch, struct reader **reader, struct err *err);
/* Ends it; NULL is allowed. */
void reader_stop(struct reader *reader);

/*
 * The file's table (filetable.h), unchecked, for the caller to free. -1 with err: the file cannot
 * be read, or the reader died, which err says and why; it is of no more use then.
 */
int reader_file(struct reader *reader, struct blob *table, struct err *err);

/* The table of a unit (unittable.h), likewise; *whole as of unitbuild(). */
int reader_unit(struct reader *reader, uint64_t unit, struct blob *table, bool *whole,
		struct err *err);

#endif
