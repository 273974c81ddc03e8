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

/*
 * What an answer may take, in ms: of CPU time, and until all of it is here. 500 MB of debug info
 * take 10 s; servers of debug info need their time. `file` is for a file's table, and for the first
 * unit of a reader; `unit` for any other.
 */
struct reader_limits {
	int file_cpu, unit_cpu;
	int file_wait, unit_wait;
};

#define READER_LIMITS                                                                           \
	{                                                                                       \
		.file_cpu = 120000, .unit_cpu = 60000, .file_wait = 180000, .unit_wait = 90000, \
	}
#define READER_FETCH_WAIT 600000

struct reader;

/*
 * Starts one. fd is open for the file that `path` leads to, and stays the caller's. With `fetch`
 * servers of debug info may be asked (debuginfo_open). -1 with err: no process can be made.
 */
int reader_start(int fd, const char *path, bool fetch, const struct reader_limits *limits,
		 struct reader **reader, struct err *err);
/* Ends it; NULL is allowed. */
void reader_stop(struct reader *reader);

/* Whether it has died or was ended since it did not answer: it is of no more use. */
bool reader_is_dead(const struct reader *reader);

/*
 * The file's table (filetable.h), unchecked, for the caller to free; with `bare` as if there was no
 * debug info. -1 with err: the file cannot be read, or the reader is dead, which err says why.
 */
int reader_file(struct reader *reader, bool bare, struct blob *table, struct err *err);

/*
 * The table of a unit (unittable.h), likewise; *whole as of unitbuild(). The file's own table need
 * not have been asked for.
 */
int reader_unit(struct reader *reader, uint64_t unit, struct blob *table, bool *whole,
		struct err *err);

#endif
