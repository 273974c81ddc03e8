/* SPDX-License-Identifier: MIT */
/* mapped: the files that processes of a recording had mapped, each opened when it is asked for. */
#ifndef MT_SYMBOL_MAPPED_H
#define MT_SYMBOL_MAPPED_H

#include "base/err.h"
#include "base/str.h"
#include "symbol/buildid.h"
#include "symbol/dso.h"

#include <stdbool.h>
#include <stdint.h>

/* No file's number. */
#define MAPPED_NONE UINT32_MAX

/* Strings are borrowed for as long as the files live. */
struct mapped_config {
	const char *symfs; /* the recording's files are below this directory; NULL: they are not */
	const char *cache; /* the directory where tables are kept; NULL: none are */
	bool fetch;        /* ask the servers of DEBUGINFOD_URLS, which takes as long as it does */
	bool same_machine; /* the kernel of the recording is the one that runs */
};

/* A file as a mapping has it. */
struct mapped_key {
	struct str path;
	struct str build_id; /* its bytes; empty: not known */
	uint64_t inode;      /* 0: not known */
	int32_t pid;         /* a process that had it mapped at [start, end) */
	uint64_t start, end;
};

struct mapped;

struct mapped *mapped_new(const struct mapped_config *config) __attribute__((returns_nonnull));
/* Writes what is new to the cache, too. */
void mapped_free(struct mapped *m);

/* Whether a path is that of a file, or "[vdso]", and not a name of other memory. */
bool mapped_is_file(struct str path);

/* The build-id of a file, for keys that come later and have none. */
void mapped_build_id(struct mapped *m, struct str path, struct str build_id);

/*
 * The number of the file, from 0: files of one path are the same when their inodes and build-ids
 * are. It is the newest one of its path then. MAPPED_NONE: there are too many files.
 */
uint32_t mapped_add(struct mapped *m, const struct mapped_key *key);

/* The newest file of a path, or MAPPED_NONE. */
uint32_t mapped_newest(struct mapped *m, struct str path);

/*
 * The file; NULL: it cannot be had. Lives as long as m; of those that were asked for before, all
 * but a few are put to rest (dso_rest).
 */
struct dso *mapped_dso(struct mapped *m, uint32_t file);

/* A place in the file, which could be opened, was found to be in no function. */
void mapped_unknown(struct mapped *m, uint32_t file);

/* As symbolizer_troubles(). */
void mapped_troubles(const struct mapped *m, void (*each)(void *ctx, const struct err *trouble),
		     void *ctx);

#endif
