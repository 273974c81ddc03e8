/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include "base/xalloc.h"

#include <stdlib.h>

/*
 * Memory has a bound: when so many functions (3/4 of the slots) are known, all are forgotten, and
 * those that are still used are asked for again.
 */
#define SLOTS (1u << 16)
#define MOST  (SLOTS / 4 * 3)
#define FILES (4u << 20) /* bytes of file names; functions of files beyond that have none */

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

static struct source_entry *slot_of(struct source *s, uint64_t start)
{
	uint32_t at = (uint32_t)((start * UINT64_C(0x9e3779b97f4a7c15)) >> 48);

	while (s->slots[at].taken && s->slots[at].start != start)
		at = (at + 1) % SLOTS;
	return &s->slots[at];
}

/* Asks for the function of e, which is empty but for its start. */
static void ask(struct source *s, struct source_entry *e)
{
	uint64_t refused = intern_refused(s->files);
	struct source_line line = { .col = 0 };

	if (!s->options->source(s->options->ctx, e->start, &line))
		return;
	e->file = intern_add(s->files, line.file);
	e->line = line.line;
	e->col = line.col;
	if (intern_refused(s->files) != refused)
		e->file = INTERN_NONE;
}

const struct source_entry *source_find(struct source *s, uint64_t start)
{
	struct source_entry *e = slot_of(s, start);

	if (e->taken)
		return e;
	if (s->count == MOST) {
		memset(s->slots, 0, sizeof(s->slots));
		s->count = 0;
		e = slot_of(s, start);
	}
	s->count++;
	*e = (struct source_entry){ .start = start, .taken = true };
	ask(s, e);
	return e;
}
