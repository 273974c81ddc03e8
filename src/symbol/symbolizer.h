/* SPDX-License-Identifier: MIT */
/*
 * symbolizer: what lay at an address of a process of a recording: function, source line, inlined
 * functions. By the recording's own mappings; no process need live any more.
 *
 * Files are opened when they are first asked for, and their debug info is read a compilation unit
 * at a time. An answer is not remembered: callers ask once for each place.
 */
#ifndef MT_SYMBOL_SYMBOLIZER_H
#define MT_SYMBOL_SYMBOLIZER_H

#include "base/err.h"
#include "base/str.h"
#include "symbol/unittable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Strings are borrowed for as long as the symbolizer lives. */
struct symbolizer_config {
	const char *symfs; /* the recording's files are below this directory; NULL: they are not */
	const char *cache; /* the directory where tables are kept; NULL: none are */
	bool fetch;        /* ask the servers of DEBUGINFOD_URLS, which takes as long as it does */
	bool same_machine; /* the kernel of the recording is the one that runs */
	const char *recording; /* as of kernel_config */
	const char *release;   /* likewise */
};

/* A mapping of a file, or of "[vdso]"; with pid -1, of the kernel. */
struct symbolizer_mapping {
	uint64_t start, end, offset;
	uint64_t inode; /* 0: not known */
	struct str path;
	struct str build_id; /* its bytes; empty: not known */
	int32_t pid;
};

/* A place in a process. */
struct symbolizer_place {
	uint64_t address;
	int32_t pid;
	bool is_offset;  /* the address is an offset in the file `path` */
	struct str path; /* of the file that it is in, as the recording has it; empty: not known */
};

struct symbolizer_function {
	const char *name; /* raw; valid as long as the symbolizer */
	uint64_t start;   /* where it begins, in the terms of the place's address */
};

struct symbolizer;

struct symbolizer *symbolizer_new(const struct symbolizer_config *config)
	__attribute__((returns_nonnull));
/* Writes what is new to the cache, too. */
void symbolizer_free(struct symbolizer *s);

/* What the recording says. Others than files and the kernel are left out. */
void symbolizer_map(struct symbolizer *s, const struct symbolizer_mapping *mapping);
void symbolizer_fork(struct symbolizer *s, int32_t pid, int32_t parent);
/* The build-id of a file, for mappings that come later and have none. */
void symbolizer_build_id(struct symbolizer *s, struct str path, struct str build_id);

/* The function that has the code at a place. */
bool symbolizer_function(struct symbolizer *s, const struct symbolizer_place *place,
			 struct symbolizer_function *function);

/* Its source line; `first` as of unittable_line(). *line is valid until the next question. */
bool symbolizer_line(struct symbolizer *s, const struct symbolizer_place *place, bool first,
		     struct unittable_place *line);

/* The functions that were inlined there, as of unittable_chain(); valid until the next question. */
size_t symbolizer_chain(struct symbolizer *s, const struct symbolizer_place *place,
			struct unittable_place *places, size_t max);

/* A function that was inlined; the same numbers stand for the same place in a file's code. */
struct symbolizer_inlined {
	uint64_t unit;
	uint32_t scope;
	const char *name; /* raw, "": not known; valid until the next question */
};

/* The code around a place of which one thing is true. */
struct symbolizer_stretch {
	uint64_t start, end; /* in the terms of the place's address */
};

/*
 * The functions that were inlined at a place, outermost first: how many there are; of more than max
 * the outermost ones. Then *stretch is the code of which the same is true; when nothing is known of
 * the place it is as it was.
 */
size_t symbolizer_inlined(struct symbolizer *s, const struct symbolizer_place *place,
			  struct symbolizer_inlined *all, size_t max,
			  struct symbolizer_stretch *stretch);

/*
 * How far the code of a file was from where it was linked to be: what is to be added to its
 * addresses for those of processes. At most max different ones are written to shifts; how many.
 */
size_t symbolizer_shifts(struct symbolizer *s, struct str path, uint64_t *shifts, size_t max);

/*
 * What could not be read, and what was found to have no symbols where some were looked for: each is
 * called once for every such file, with a message and, perhaps, a hint.
 */
void symbolizer_troubles(const struct symbolizer *s,
			 void (*each)(void *ctx, const struct err *trouble), void *ctx);

#endif
