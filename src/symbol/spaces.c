/* SPDX-License-Identifier: MIT */
#include "symbol/spaces.h"

#include "base/intern.h"
#include "base/xalloc.h"
#include "symbol/ranges.h"

#include <stdbool.h>
#include <stdlib.h>

/* A process that comes from one that comes from one ...: further is not looked. */
#define GENERATIONS_MAX 16

struct space {
	int32_t parent;             /* 0: none is known */
	struct spaces_mapping *all; /* the newest one last */
	size_t n, cap;
	/* of the first n_settled of all, whose numbers are the owners; made when they are needed */
	struct ranges newest;  /* of any file */
	struct ranges by_file; /* the newest ones of each file, file by file */
	size_t n_settled;
};

struct spaces {
	struct intern *pids; /* the number less 1 is the place in spaces */
	struct space *all;
	uint32_t cap;
	size_t mappings;
};

struct spaces *spaces_new(void)
{
	struct spaces *spaces = xcalloc(1, sizeof(*spaces));

	spaces->pids = intern_new(0);
	return spaces;
}

void spaces_free(struct spaces *spaces)
{
	if (!spaces)
		return;
	for (uint32_t i = 0; i < intern_count(spaces->pids); i++) {
		free(spaces->all[i].all);
		ranges_fini(&spaces->all[i].newest);
		ranges_fini(&spaces->all[i].by_file);
	}
	free(spaces->all);
	intern_free(spaces->pids);
	free(spaces);
}

static struct space *space_of(struct spaces *spaces, int32_t pid)
{
	uint32_t before = intern_count(spaces->pids), id;

	id = intern_add(spaces->pids, (struct str){ .p = (char *)&pid, .n = sizeof(pid) });
	if (id > spaces->cap) {
		spaces->cap = spaces->cap ? 2 * spaces->cap : 64;
		spaces->all = xreallocarray(spaces->all, spaces->cap, sizeof(*spaces->all));
	}
	if (id > before)
		spaces->all[id - 1] = (struct space){ 0 };
	return &spaces->all[id - 1];
}

void spaces_add(struct spaces *spaces, int32_t pid, const struct spaces_mapping *mapping)
{
	struct space *space = space_of(spaces, pid);

	if (spaces->mappings == SPACES_MAPPINGS_MAX)
		return;
	spaces->mappings++;
	if (space->n == space->cap) {
		space->cap = space->cap ? 2 * space->cap : 16;
		space->all = xreallocarray(space->all, space->cap, sizeof(*space->all));
	}
	space->all[space->n++] = *mapping;
}

void spaces_fork(struct spaces *spaces, int32_t pid, int32_t parent)
{
	space_of(spaces, pid)->parent = parent;
}

/* A mapping, by its file. */
struct entry {
	uint32_t file;
	size_t number; /* in all */
};

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

/* Takes the mappings of one file off the entries, and puts what is seen of them behind the others.
 */
static size_t settle_file(struct space *space, const struct entry *entries, size_t n)
{
	struct ranges part = { 0 };
	size_t i;

	for (i = 0; i < n && entries[i].file == entries[0].file; i++) {
		const struct spaces_mapping *m = &space->all[entries[i].number];

		ranges_add(&part, m->start, m->end, entries[i].number);
	}
	ranges_settle_newest(&part);
	for (size_t k = 0; k < part.n; k++)
		ranges_add(&space->by_file, part.all[k].start, part.all[k].end, part.all[k].owner);
	ranges_fini(&part);
	return i;
}

static void settle(struct space *space)
{
	struct entry *entries = xcalloc(space->n, sizeof(*entries));

	ranges_fini(&space->newest);
	ranges_fini(&space->by_file);
	for (size_t i = 0; i < space->n; i++) {
		entries[i] = (struct entry){ .file = space->all[i].file, .number = i };
		ranges_add(&space->newest, space->all[i].start, space->all[i].end, i);
	}
	ranges_settle_newest(&space->newest);
	qsort(entries, space->n, sizeof(*entries), compare);
	for (size_t i = 0; i < space->n;)
		i += settle_file(space, entries + i, space->n - i);
	free(entries);
	space->n_settled = space->n;
}

/* The piece of a file's mappings that holds an address. */
static const struct range *find_of_file(const struct space *space, uint64_t address, uint32_t file)
{
	const struct range *all = space->by_file.all;
	size_t low = 0, high = space->by_file.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint32_t other = space->all[all[mid].owner].file;

		if (other < file || (other == file && all[mid].start <= address))
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || address >= all[low - 1].end || space->all[all[low - 1].owner].file != file)
		return NULL;
	return &all[low - 1];
}

static const struct spaces_mapping *find_in(struct space *space, uint64_t address, uint32_t file)
{
	const struct range *found;

	if (!space->n)
		return NULL;
	if (space->n_settled != space->n)
		settle(space);
	found = file == UINT32_MAX ? ranges_find(&space->newest, address)
				   : find_of_file(space, address, file);
	return found ? &space->all[found->owner] : NULL;
}

const struct spaces_mapping *spaces_find(struct spaces *spaces, int32_t pid, uint64_t address,
					 uint32_t file)
{
	for (int i = 0; i < GENERATIONS_MAX && pid; i++) {
		const struct spaces_mapping *found;
		struct space *space;

		/* a pid that is not known gets a space of its own: nothing is in it */
		space = space_of(spaces, pid);
		found = find_in(space, address, file);
		if (found)
			return found;
		pid = space->parent;
	}
	return NULL;
}

void spaces_each(const struct spaces *spaces, uint32_t file,
		 void (*each)(void *ctx, const struct spaces_mapping *mapping), void *ctx)
{
	for (uint32_t i = 0; i < intern_count(spaces->pids); i++) {
		const struct space *space = &spaces->all[i];

		for (size_t k = 0; k < space->n; k++)
			if (space->all[k].file == file)
				each(ctx, &space->all[k]);
	}
}
