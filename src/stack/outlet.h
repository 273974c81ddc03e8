/* SPDX-License-Identifier: MIT */
/*
 * outlet: the one way from all threads to the sink: closed outside the filter's regions, and
 * keeping back what lies in a region of which the end has not been seen.
 */
#ifndef MT_STACK_OUTLET_H
#define MT_STACK_OUTLET_H

#include "base/span.h"
#include "base/spool.h"

#include <stdbool.h>

struct outlet {
	struct span_sink sink;
	struct spool kept;
	bool muted;   /* outside: what comes is dropped */
	bool keeping; /* in a region without an end as yet: what comes waits in kept */
};

void outlet_init(struct outlet *out, const struct span_sink *sink, struct spool_pool *pool);
void outlet_fini(struct outlet *out);

/* Passes a span on, keeps it or drops it. */
static inline void outlet_span(struct outlet *out, const struct span *span)
{
	if (out->muted)
		return;
	if (out->keeping)
		*(struct span *)spool_push(&out->kept) = *span;
	else
		out->sink.span(out->sink.ctx, span);
}

/* From now on, spans wait for outlet_commit or outlet_discard. */
void outlet_keep(struct outlet *out);

/* The region has an end: what waited goes to the sink, and what comes next at once. */
void outlet_commit(struct outlet *out);

/* The region never ended: what waited is dropped. */
void outlet_discard(struct outlet *out);

#endif
