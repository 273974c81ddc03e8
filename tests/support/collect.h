/* SPDX-License-Identifier: MIT */
/* collect: a span sink that writes what it gets as lines of text, for tests to compare. */
#ifndef MT_TESTS_SUPPORT_COLLECT_H
#define MT_TESTS_SUPPORT_COLLECT_H

#include "base/intern.h"
#include "base/place.h"
#include "base/span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collect {
	const struct intern *names;
	char text[65536]; /* a line a span, in the order they came */
	size_t used;
	struct track_key tracks[16];
	uint32_t n_tracks;
	bool show_signal; /* also which frames are signals' handlers */
	bool show_from;   /* also where frames were called from */
	bool show_arrows;
	bool show_doubt; /* also by how much the times of begins and ends may be wrong */
};

static inline void collect_clear(struct collect *c)
{
	c->used = 0;
	c->text[0] = '\0';
}

static inline uint32_t collect_track(void *ctx, const struct track_key *key)
{
	struct collect *c = ctx;
	uint32_t i;

	for (i = 0; i < c->n_tracks; i++)
		if (c->tracks[i].kind == key->kind && c->tracks[i].pid == key->pid &&
		    c->tracks[i].tid == key->tid && c->tracks[i].event == key->event)
			return i;
	c->tracks[c->n_tracks] = *key;
	return c->n_tracks++;
}

/*
 * "B 5 main", "E 5 main", "X 5-9 [unknown]", "C 5 800", "P 5 payload", "S 5 count name", "> 5
 * number" and "< 5 number" for an arrow's begin and end; then " ~N" for a time's doubt, "*" for a
 * begin of an inlined function, " sig" for a signal's handler, " <ADDR" (hex) for where a frame was
 * called from, " inf" for an inferred begin, " +N" for N frames left out below, " tK" on tracks but
 * the first.
 */
static inline void collect_span(void *ctx, const struct span *span)
{
	struct collect *c = ctx;
	struct str name = intern_str(c->names, span->name);
	char place[200], line[400];
	int n = 0;

	if (span->kind >= SPAN_ARROW_FROM && !c->show_arrows)
		return;
	if (span->name == INTERN_NONE) {
		name.n = place_name(place, sizeof(place), span->addr,
				    intern_str(c->names, span->dso));
		name.p = place;
	}
	switch (span->kind) {
	case SPAN_BEGIN:
	case SPAN_END:
		n = snprintf(line, sizeof(line), "%c %lld %.*s",
			     span->kind == SPAN_BEGIN ? 'B' : 'E', (long long)span->time,
			     (int)name.n, name.p);
		break;
	case SPAN_COMPLETE:
		n = snprintf(line, sizeof(line), "X %lld-%lld %.*s", (long long)span->time,
			     (long long)span->end, (int)name.n, name.p);
		break;
	case SPAN_COUNTER:
		n = snprintf(line, sizeof(line), "C %lld %llu", (long long)span->time,
			     (unsigned long long)span->value);
		break;
	case SPAN_PTWRITE:
		n = snprintf(line, sizeof(line), "P %lld %llu", (long long)span->time,
			     (unsigned long long)span->value);
		break;
	case SPAN_ARROW_FROM:
	case SPAN_ARROW_TO:
		n = snprintf(line, sizeof(line), "%c %lld %llu",
			     span->kind == SPAN_ARROW_FROM ? '>' : '<', (long long)span->time,
			     (unsigned long long)span->value);
		break;
	default:
		n = snprintf(line, sizeof(line), "S %lld %llu %.*s", (long long)span->time,
			     (unsigned long long)span->value, (int)name.n, name.p);
		break;
	}
	if (c->show_doubt && span->kind <= SPAN_END && span->end)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " ~%lld", (long long)span->end);
	if (span->kind == SPAN_BEGIN && (span->flags & SPAN_INLINED))
		line[n++] = '*';
	if (c->show_signal && (span->flags & SPAN_SIGNAL))
		n += snprintf(line + n, sizeof(line) - (size_t)n, " sig");
	if (c->show_from && span->kind == SPAN_BEGIN && span->value)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " <%llx",
			      (unsigned long long)span->value);
	if (span->flags & SPAN_INFERRED)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " inf");
	if (span->kind == SPAN_END && span->value)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " +%llu",
			      (unsigned long long)span->value);
	if (span->track)
		n += snprintf(line + n, sizeof(line) - (size_t)n, " t%u", span->track);
	if (c->used + (size_t)n + 2 < sizeof(c->text)) {
		memcpy(c->text + c->used, line, (size_t)n);
		c->used += (size_t)n;
		c->text[c->used++] = '\n';
		c->text[c->used] = '\0';
	}
}

static inline void collect_hit(void *ctx, const struct hit_span *hit)
{
	struct collect *c = ctx;
	struct str name = intern_str(c->names, hit->name);

	c->used += (size_t)snprintf(c->text + c->used, sizeof(c->text) - c->used,
				    "H %lld-%lld %.*s passed %lld%s t%u\n", (long long)hit->start,
				    (long long)hit->time, (int)name.n, name.p,
				    (long long)hit->passed, hit->has_arg ? " arg" : "", hit->track);
}

/*
 * Sorts the lines by time as viewers do: lines of equal times stay as they were. Lines have one
 * letter, a blank and the time first.
 */
static inline const char *collect_sort(struct collect *c)
{
	static char sorted[sizeof(c->text)];
	size_t used = 0;
	long long done = -1;

	for (;;) {
		long long next = -1, t;
		const char *line;

		for (line = c->text; *line; line = strchr(line, '\n') + 1) {
			t = atoll(line + 2);
			if (t > done && (next < 0 || t < next))
				next = t;
		}
		if (next < 0)
			break;
		for (line = c->text; *line; line = strchr(line, '\n') + 1) {
			size_t n = (size_t)(strchr(line, '\n') + 1 - line);

			if (atoll(line + 2) != next)
				continue;
			memcpy(sorted + used, line, n);
			used += n;
		}
		done = next;
	}
	sorted[used] = '\0';
	return sorted;
}

static inline struct span_sink collect_sink(struct collect *c, const struct intern *names)
{
	c->names = names;
	c->n_tracks = 0;
	collect_clear(c);
	return (struct span_sink){
		.ctx = c, .track = collect_track, .span = collect_span, .hit = collect_hit
	};
}

#endif
