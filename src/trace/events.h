/* SPDX-License-Identifier: MIT */
/* events: each span as an event record of the trace. */
#ifndef MT_TRACE_EVENTS_H
#define MT_TRACE_EVENTS_H

#include "base/span.h"
#include "trace/fxt.h"
#include "trace/source.h"
#include "trace/strings.h"
#include "trace/tracks.h"

/* A begin of which neither a source line nor a clone nor the caller's line is known. */
struct events_plain {
	uint64_t start, from;
	uint32_t dso;
	uint32_t owner; /* its track + 1; 0: the slot is free */
};

#define EVENTS_PLAIN_SLOTS 4096u

/* What an event is made with; all borrowed. To be made from zeroed memory. */
struct events {
	struct fxt *fxt;
	struct strings *strings;
	struct tracks *tracks;
	struct source *source; /* NULL: nothing is known of source lines */
	struct trace_stats *stats;
	bool mark_inferred;
	struct events_plain plain[EVENTS_PLAIN_SLOTS]; /* those seen last */
};

/* Writes a span, a hit. */
void events_span(struct events *e, const struct span *span);
void events_hit(struct events *e, const struct hit_span *hit);

#endif
