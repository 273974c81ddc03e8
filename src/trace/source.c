/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include "base/xalloc.h"

#include <stdlib.h>

/*
 * Memory has a bound: when so many places (3/4 of the slots) are known, all are forgotten, and
 * those that are still used are asked for again.
 */
#define SLOTS (1u << 16)
#define MOST  (SLOTS / 4 * 3)
#define FILES (4u << 20) /* bytes of file names; places in files beyond that have none */

struct source {
	const struct trace_options *options;
	struct intern *files;
	uint32_t count;
	struct source_entry slots[SLOTS]; /* open addressing, linear */
};

struct source *source_new(const struct trace_options *options)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->options = options;
	s->files = intern_new(FILES);
	return s;
}

void source_free(struct source *s)
{
	if (!s)
		return;
	intern_free(s->files);
	free(s);
}

const struct intern *source_files(const struct source *s)
{
	return s->files;
}

static bool is_same(const struct source_place *a, const struct source_place *b)
{
	return (a->addr == b->addr) & (a->pid == b->pid) & (a->dso == b->dso) &
	       (a->inlined == b->inlined) & (a->is_call == b->is_call);
}

static struct source_entry *slot_of(struct source *s, const struct source_place *place)
{
	uint64_t more =
		(uint64_t)place->dso << 33 | (uint64_t)(uint32_t)place->pid << 1 | place->is_call;
	more ^= (uint64_t)place->inlined << 56;
	uint64_t h =
		place->addr * UINT64_C(0x9e3779b97f4a7c15) ^ more * UINT64_C(0xc2b2ae3d27d4eb4f);
	uint32_t at = (uint32_t)(h >> 48);

	while (s->slots[at].taken && !is_same(&s->slots[at].place, place))
		at = (at + 1) % SLOTS;
	return &s->slots[at];
}

/* Asks for the place of e, which is empty but for that. */
static void ask(struct source *s, struct source_entry *e)
{
	uint64_t refused = intern_refused(s->files);
	struct source_line line = { .col = 0 };

	if (!s->options->source(s->options->ctx, &e->place, &line))
		return;
	e->clone = line.clone;
	if (line.file.n == 0)
		return;
	e->file = intern_add(s->files, line.file);
	e->line = line.line;
	e->col = line.col;
	if (intern_refused(s->files) != refused)
		e->file = INTERN_NONE;
}

const struct source_entry *source_find(struct source *s, const struct source_place *place)
{
	struct source_entry *e = slot_of(s, place);

	if (e->taken)
		return e;
	if (s->count == MOST) {
		memset(s->slots, 0, sizeof(s->slots));
		s->count = 0;
		e = slot_of(s, place);
	}
	s->count++;
	*e = (struct source_entry){ .place = *place, .taken = true };
	ask(s, e);
	return e;
}
