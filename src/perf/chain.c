/* SPDX-License-Identifier: MIT */
#include "perf/chain.h"

#include "base/num.h"
#include "base/xalloc.h"
#include "perf/head.h"
#include "perf/scan.h"

#include <stdlib.h>

void chain_fini(struct chain *c)
{
	free(c->v);
	*c = (struct chain){ 0 };
}

static void push(struct chain *c, const struct location *frame)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->v = xreallocarray(c->v, c->cap, sizeof(*c->v));
	}
	c->v[c->n++] = *frame;
}

void chain_set(struct chain *c, const struct location *frame)
{
	c->n = 0;
	push(c, frame);
}

bool chain_is_frame(struct str line)
{
	struct str s = line;
	struct head head;
	uint64_t addr;

	if (s.n && s.p[0] == '\t')
		return true;
	if (scan_blanks(&s) == 0 || !num_hex_lower(&s, &addr) || s.n == 0 || *s.p != ' ')
		return false;
	/* a command's name may look like an address */
	return !head_read_comm(line, &head);
}

static void reverse(struct chain *c)
{
	for (size_t i = 0; i < c->n / 2; i++) {
		struct location frame = c->v[i];

		c->v[i] = c->v[c->n - 1 - i];
		c->v[c->n - 1 - i] = frame;
	}
}

static void add_frame(struct chain *c, struct str line, uint64_t number, struct places *places,
		      struct notes *notes)
{
	struct location frame;
	struct str text = line;

	scan_blanks(&text);
	if (places_read(places, text, &frame))
		push(c, &frame);
	else
		notes_add(notes, PERF_NOTE_LINE, STR(""), line, number);
}

int chain_read(struct chain *c, struct lines *lines, struct places *places, struct notes *notes,
	       struct err *err)
{
	bool deep = false;

	c->n = c->lines = 0;
	for (;;) {
		struct str line;
		enum lines_got got = lines_next(lines, &line, err);

		if (got == LINES_ERROR)
			return -1;
		if (got == LINES_LONG) {
			notes_add(notes, PERF_NOTE_LONG, STR(""), line, lines->number);
			continue;
		}
		if (got == LINES_END)
			break;
		if (!chain_is_frame(line)) {
			lines_unread(lines);
			break;
		}
		c->lines++;
		if (c->n < PERF_CHAIN_MAX) {
			add_frame(c, line, lines->number, places, notes);
		} else if (!deep) {
			deep = true;
			notes_add(notes, PERF_NOTE_DEEP, STR(""), line, lines->number);
		}
	}
	reverse(c);
	return 0;
}
