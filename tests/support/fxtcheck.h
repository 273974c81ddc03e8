/* SPDX-License-Identifier: MIT */
/*
 * fxtcheck: what must hold for any trace file, checked by a reader that shares nothing with the
 * writer (fxtread.h): spans nest on each track, each begin has its end, no time runs backwards,
 * nothing is referred to that is not there, texts are UTF-8 without control characters.
 */
#ifndef MT_TESTS_SUPPORT_FXTCHECK_H
#define MT_TESTS_SUPPORT_FXTCHECK_H

#include "support/fxtread.h"

struct fxtcheck_event {
	uint64_t thread, time, end;
	struct str name;
	size_t at; /* in the file */
	unsigned type;
};

struct fxtcheck {
	struct fxtcheck_event *all;
	size_t n, cap;
};

/* The character at the front as the Unicode Standard has it (table 3-7); its bytes, or 0. */
static inline size_t fxtcheck_character(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t code = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	if (n > s.n || (p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : n;
}

static inline void fxtcheck_text(struct str s)
{
	while (s.n) {
		size_t n = fxtcheck_character(s);

		fxtread_check(n > 0);
		s = str_skip(s, n);
	}
}

static inline void fxtcheck_add(struct fxtcheck *c, const struct fxtread_event *ev)
{
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 256;
		c->all = realloc(c->all, c->cap * sizeof(*c->all));
		fxtread_check(c->all != NULL);
	}
	c->all[c->n] = (struct fxtcheck_event){
		.thread = ev->thread,
		.time = ev->time,
		.end = ev->last,
		.name = ev->name,
		.at = c->n,
		.type = ev->type,
	};
	c->n++;
}

static inline int fxtcheck_compare(const void *a, const void *b)
{
	const struct fxtcheck_event *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Whether an end of this name closes that begin: one that was inferred may be called so. */
static inline bool fxtcheck_closes(struct str end, struct str begin)
{
	struct str more = STR(" [inferred start time]");

	if (end.n == 0 || str_eq(end, begin))
		return true;
	return str_starts(begin, end) && str_eq(str_skip(begin, end.n), more);
}

/* Of one track, in the order in which viewers take them. */
static inline void fxtcheck_nesting(struct fxtcheck_event *all, size_t n)
{
	struct str *open = malloc((n + 1) * sizeof(*open));
	size_t depth = 0;
	uint64_t leaf_end = 0;

	for (size_t i = 0; i < n; i++) {
		const struct fxtcheck_event *e = &all[i];

		if (e->type != 2 && e->type != 3 && e->type != 4)
			continue;
		fxtread_check(e->time >= leaf_end || (e->type == 4 && e->end == e->time));
		if (e->type == 2) {
			open[depth++] = e->name;
			fxtread_check(depth <= 512);
		} else if (e->type == 3) {
			fxtread_check(depth > 0);
			depth--;
			fxtread_check(fxtcheck_closes(e->name, open[depth]));
		} else {
			fxtread_check(e->end >= e->time);
			leaf_end = e->end > leaf_end ? e->end : leaf_end;
		}
	}
	fxtread_check(depth == 0);
	free(open);
}

/* Reads all of r, and frees it. How many events it had. */
static inline size_t fxtcheck_all(struct fxtread *r)
{
	struct fxtcheck c = { 0 };
	struct fxtread_event ev;
	size_t from = 0;

	while (fxtread_next(r, &ev)) {
		fxtread_check(ev.time < (uint64_t)1 << 63);
		fxtcheck_text(ev.name);
		fxtcheck_text(ev.category);
		for (unsigned i = 0; i < ev.n_args; i++) {
			fxtcheck_text(ev.args[i].name);
			if (ev.args[i].type == 6)
				fxtcheck_text(ev.args[i].text);
		}
		fxtcheck_add(&c, &ev);
	}
	for (size_t i = 0; i < r->n_objects; i++)
		fxtcheck_text(r->objects[i].name);
	if (c.n)
		qsort(c.all, c.n, sizeof(*c.all), fxtcheck_compare);
	for (size_t i = 1; i <= c.n; i++) {
		if (i < c.n && c.all[i].thread == c.all[from].thread)
			continue;
		fxtcheck_nesting(c.all + from, i - from);
		from = i;
	}
	free(c.all);
	fxtread_free(r);
	return c.n;
}

#endif
