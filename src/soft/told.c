/* SPDX-License-Identifier: MIT */
#include "soft/told.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

struct told {
	struct perfdata_mapping *all; /* in no order; the paths are owned */
	size_t n, room;
};

struct told *told_new(void)
{
	return xcalloc(1, sizeof(struct told));
}

void told_clear(struct told *told)
{
	for (size_t i = 0; i < told->n; i++)
		free((char *)told->all[i].path);
	told->n = 0;
}

void told_free(struct told *told)
{
	if (!told)
		return;
	told_clear(told);
	free(told->all);
	free(told);
}

static void append(struct told *told, const struct perfdata_mapping *mapping)
{
	if (told->n == told->room) {
		told->room = told->room ? 2 * told->room : 16;
		told->all = xreallocarray(told->all, told->room, sizeof(*told->all));
	}
	told->all[told->n] = *mapping;
	told->all[told->n++].path = xstrdup(mapping->path);
}

struct told *told_copy(const struct told *told)
{
	struct told *copy = told_new();

	for (size_t i = 0; i < told->n; i++)
		append(copy, &told->all[i]);
	return copy;
}

static bool is_same(const struct perfdata_mapping *a, const struct perfdata_mapping *b)
{
	return a->start == b->start && a->size == b->size && a->offset == b->offset &&
	       a->major == b->major && a->minor == b->minor && a->inode == b->inode &&
	       strcmp(a->path, b->path) == 0;
}

bool told_add(struct told *told, const struct perfdata_mapping *mapping)
{
	for (size_t i = 0; i < told->n; i++)
		if (is_same(&told->all[i], mapping))
			return false;
	told_remove(told, mapping->start, mapping->size);
	append(told, mapping);
	return true;
}

const struct perfdata_mapping *told_get(const struct told *told, size_t i)
{
	return i < told->n ? &told->all[i] : NULL;
}

/* As differences: neither end may wrap. */
static bool overlaps(const struct perfdata_mapping *m, uint64_t start, uint64_t size)
{
	return m->start < start ? start - m->start < m->size : m->start - start < size;
}

void told_remove(struct told *told, uint64_t start, uint64_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < told->n; i++) {
		if (overlaps(&told->all[i], start, size))
			free((char *)told->all[i].path);
		else
			told->all[kept++] = told->all[i];
	}
	told->n = kept;
}
