/* SPDX-License-Identifier: MIT */
/* dso: one ELF file of a recording, asked for functions and source lines by its own addresses. */
#ifndef MT_SYMBOL_DSO_H
#define MT_SYMBOL_DSO_H

#include "base/err.h"
#include "symbol/buildid.h"
#include "symbol/filetable.h"
#include "symbol/unittable.h"

#include <stdbool.h>
#include <stdint.h>

struct dso;

/*
 * Takes fd over; path leads to it, for messages and for its separate debug file. build_id: hex
 * digits; "": it has none, and nothing is kept. cache: the directory of the cache, or NULL. Reads
 * nothing yet. Free with dso_close, which writes to the cache what is new.
 */
struct dso *dso_open(int fd, const char *path, const char *build_id, const char *cache, bool fetch)
	__attribute__((returns_nonnull));
void dso_close(struct dso *dso);

/*
 * Ends the process that reads the file, and closes the file and that of the cache, until something
 * is asked for that is not known yet. (A file stays open that its path does not lead to any more.)
 */
void dso_rest(struct dso *dso);

/* The file's table, lives as long as dso. NULL with err: it cannot be read, the same each time. */
const struct filetable *dso_file(struct dso *dso, struct err *err);

/*
 * The table of the unit that has the code at a value, valid until the next call. NULL: no debug
 * info has it. When reading it failed, dso_trouble says so.
 */
const struct unittable *dso_unit(struct dso *dso, uint64_t value);

/* The first failure to read debug info that was found to be there; NULL: none. */
const struct err *dso_trouble(const struct dso *dso);

#endif
