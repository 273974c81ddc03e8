/* SPDX-License-Identifier: MIT */
/* hits: the hits of triggers, drawn as spans on a track of their own. */
#ifndef MT_STACK_HITS_H
#define MT_STACK_HITS_H

#include "base/intern.h"
#include "base/span.h"
#include "stack/stacks.h"

#include <stdint.h>

/* The earliest time among the n hits (perf's clock, ns), or INT64_MAX when there is none. */
int64_t hits_first(const struct trigger_hit *hits, size_t n);

/* Gives all n hits to the sink; base is the time that the trace calls 0. */
void hits_write(const struct trigger_hit *hits, size_t n, int64_t base, struct intern *names,
		const struct span_sink *sink);

#endif
