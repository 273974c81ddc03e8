/* SPDX-License-Identifier: MIT */
/*
 * spancheck: a span sink that keeps all that it gets, and what must hold for it, whatever came in:
 * on each track, sorted by time as viewers do it, each end closes the begin of its name, each begin
 * has its end, nothing lies inside a leaf, no time is negative, nothing is deeper than the cap.
 */
#ifndef MT_TESTS_SUPPORT_SPANCHECK_H
#define MT_TESTS_SUPPORT_SPANCHECK_H

#include "base/intern.h"
#include "base/span.h"
#include "base/xalloc.h"
#include "support/random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct spancheck_span {
	struct span span;
	size_t at; /* in the order they came */
};

struct spancheck {
	const struct intern *names;
	struct spancheck_span *all;
	size_t n, cap;
	struct track_key tracks[64];
	uint32_t n_tracks;
	uint32_t max_depth; /* 0: none */
	uint64_t begins, ends, unknowns;
	uint64_t arrows_from, arrows_to;
	bool gaps; /* a span of lost data was drawn */
};

static inline uint32_t spancheck_track(void *ctx, const struct track_key *key)
{
	struct spancheck *c = ctx;

	MUST(key->pid >= 0 && key->tid >= 0);
	for (uint32_t i = 0; i < c->n_tracks; i++)
		if (c->tracks[i].kind == key->kind && c->tracks[i].pid == key->pid &&
		    c->tracks[i].tid == key->tid && c->tracks[i].event == key->event)
			return i;
	MUST(c->n_tracks < sizeof(c->tracks) / sizeof(*c->tracks));
	c->tracks[c->n_tracks] = *key;
	return c->n_tracks++;
}

static inline bool spancheck_is(const struct spancheck *c, const struct span *span,
				const char *name)
{
	return span->name != INTERN_NONE &&
	       str_starts(intern_str(c->names, span->name), str_of(name));
}

static inline void spancheck_span(void *ctx, const struct span *span)
{
	struct spancheck *c = ctx;

	MUST(span->kind <= SPAN_ARROW_TO);
	MUST(span->track < c->n_tracks);
	MUST(span->name <= intern_count(c->names) && span->dso <= intern_count(c->names));
	MUST(span->time >= 0);
	MUST(span->kind != SPAN_COMPLETE || span->end >= span->time);
	MUST(span->kind != SPAN_EXTRA || span->owner < c->n_tracks);
	c->begins += span->kind == SPAN_BEGIN;
	c->ends += span->kind == SPAN_END;
	c->arrows_from += span->kind == SPAN_ARROW_FROM;
	c->arrows_to += span->kind == SPAN_ARROW_TO;
	if (span->kind == SPAN_COMPLETE && spancheck_is(c, span, "[unknown]"))
		c->unknowns++;
	if (span->kind == SPAN_COMPLETE && spancheck_is(c, span, "[lost: "))
		c->gaps = true;
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 256;
		c->all = xreallocarray(c->all, c->cap, sizeof(*c->all));
	}
	c->all[c->n] = (struct spancheck_span){ .span = *span, .at = c->n };
	c->n++;
}

static inline void spancheck_hit(void *ctx, const struct hit_span *hit)
{
	struct spancheck *c = ctx;

	MUST(hit->track < c->n_tracks && hit->name <= intern_count(c->names));
	MUST(hit->start >= 0 && hit->time >= hit->start);
}

static inline struct span_sink spancheck_sink(struct spancheck *c)
{
	return (struct span_sink){ c, spancheck_track, spancheck_span, spancheck_hit };
}

/* By track, then time; what is of one time stays in its order. */
static inline int spancheck_compare(const void *a, const void *b)
{
	const struct spancheck_span *x = a, *y = b;

	if (x->span.track != y->span.track)
		return x->span.track < y->span.track ? -1 : 1;
	if (x->span.time != y->span.time)
		return x->span.time < y->span.time ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* Checks the n spans of one track; open has room for so many. */
static inline void spancheck_nesting(const struct spancheck *c, const struct spancheck_span *all,
				     size_t n, const struct span **open)
{
	int64_t leaf_end = 0;
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		const struct span *s = &all[i].span;

		if (s->kind > SPAN_COMPLETE)
			continue;
		/* an error in data that was lost lies in the span of all that was */
		MUST(s->time >= leaf_end || (s->kind == SPAN_COMPLETE && s->end == s->time));
		if (s->kind == SPAN_COMPLETE) {
			leaf_end = s->end > leaf_end ? s->end : leaf_end;
		} else if (s->kind == SPAN_BEGIN) {
			open[depth++] = s;
			MUST(!c->max_depth || depth <= c->max_depth);
		} else {
			MUST(depth > 0);
			depth--;
			MUST(open[depth]->name == s->name);
			MUST(s->name != INTERN_NONE || open[depth]->addr == s->addr);
		}
	}
	MUST(depth == 0);
}

/* Checks all spans that came, and forgets them. */
static inline void spancheck_end(struct spancheck *c)
{
	const struct span **open = xcalloc(c->n + 1, sizeof(*open));
	size_t from = 0;

	MUST(c->begins == c->ends);
	if (c->n)
		qsort(c->all, c->n, sizeof(*c->all), spancheck_compare);
	for (size_t i = 1; i <= c->n; i++) {
		if (i < c->n && c->all[i].span.track == c->all[from].span.track)
			continue;
		spancheck_nesting(c, c->all + from, i - from, open);
		from = i;
	}
	free(open);
	free(c->all);
	c->all = NULL;
	c->n = c->cap = 0;
}

#endif
