/* SPDX-License-Identifier: MIT */
#include "symbol/spaces.h"

#include "base/intern.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>

/* A process that comes from one that comes from one ...: further is not looked. */
#define GENERATIONS_MAX 16

/* A mapping, by where it begins. */
struct entry {
	uint64_t start, last_end; /* no mapping that begins before, or is this one, ends later */
	size_t number;            /* in all */
};

struct space {
	int32_t parent;             /* 0: none is known */
	struct spaces_mapping *all; /* the newest one last */
	size_t n, cap;
	struct entry *order; /* the first n_order of all, sorted by start; made when it is needed */
	size_t n_order;
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
		free(spaces->all[i].order);
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

static int compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void set_order(struct space *space)
{
	uint64_t last_end = 0;

	space->order = xreallocarray(space->order, space->n, sizeof(*space->order));
	for (size_t i = 0; i < space->n; i++)
		space->order[i] = (struct entry){ .start = space->all[i].start, .number = i };
	qsort(space->order, space->n, sizeof(*space->order), compare);
	for (size_t i = 0; i < space->n; i++) {
		uint64_t end = space->all[space->order[i].number].end;

		last_end = end > last_end ? end : last_end;
		space->order[i].last_end = last_end;
	}
	space->n_order = space->n;
}

/* How many of the order begin at an address or before it. */
static size_t count_before(const struct space *space, uint64_t address)
{
	size_t low = 0, high = space->n_order;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (space->order[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static const struct spaces_mapping *find_in(struct space *space, uint64_t address, uint32_t file)
{
	const struct spaces_mapping *found = NULL;

	if (!space->n)
		return NULL;
	if (space->n_order != space->n)
		set_order(space);
	for (size_t i = count_before(space, address); i-- > 0;) {
		const struct spaces_mapping *m = &space->all[space->order[i].number];

		if (space->order[i].last_end <= address)
			break;
		if (address < m->end && (file == UINT32_MAX || file == m->file) && found < m)
			found = m;
	}
	return found;
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
