/* SPDX-License-Identifier: MIT */
/* events: each span as an event record of the trace. */
#ifndef MT_TRACE_EVENTS_H
#define MT_TRACE_EVENTS_H

#include "base/span.h"
#include "trace/fxt.h"
#include "trace/source.h"
#include "trace/strings.h"
#include "trace/tracks.h"

/* What an event is made with; all borrowed. */
struct events {
	struct fxt *fxt;
	struct strings *strings;
	struct tracks *tracks;
	struct source *source; /* NULL: nothing is known of source lines */
	struct trace_stats *stats;
	bool mark_inferred;
};

/* Writes a span, a hit. */
void events_span(struct events *e, const struct span *span);
void events_hit(struct events *e, const struct hit_span *hit);

#endif
