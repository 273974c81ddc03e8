/* SPDX-License-Identifier: MIT */
/* spaces: what the processes of a recording had mapped where. */
#ifndef MT_SYMBOL_SPACES_H
#define MT_SYMBOL_SPACES_H

#include <stddef.h>
#include <stdint.h>

/* [start, end) holds a file from offset on; `file` is a number that means something to the caller.
 */
struct spaces_mapping {
	uint64_t start, end, offset;
	uint32_t file;
};

/* Of more mappings than these, in all processes together, the later ones are left out. */
#define SPACES_MAPPINGS_MAX ((size_t)1 << 20)

struct spaces;

struct spaces *spaces_new(void) __attribute__((returns_nonnull));
void spaces_free(struct spaces *spaces);

/* Adds a mapping of process pid, which hides older ones. */
void spaces_add(struct spaces *spaces, int32_t pid, const struct spaces_mapping *mapping);

/*
 * Process pid comes from its parent: where it has no mapping of its own, those of its parent count,
 * also those that are added later; of several parents the last one.
 */
void spaces_fork(struct spaces *spaces, int32_t pid, int32_t parent);

/*
 * The newest mapping of process pid, or of those it comes from, that holds an address; with a file
 * that is not UINT32_MAX, the newest one of that file. NULL: none. Valid until the next change.
 */
const struct spaces_mapping *spaces_find(struct spaces *spaces, int32_t pid, uint64_t address,
					 uint32_t file);

/* Calls each for every mapping of a file, of whatever process. */
void spaces_each(const struct spaces *spaces, uint32_t file,
		 void (*each)(void *ctx, const struct spaces_mapping *mapping), void *ctx);

#endif
