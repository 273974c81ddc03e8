/* SPDX-License-Identifier: MIT */
/*
 * filter: which events lie between a call of START and the next call of STOP.
 *
 * Events are marked as they are read. Whether a START is followed by a STOP is not known then: the
 * region is provisional until filter.ended reaches its number, or the data file ends without.
 */
#ifndef MT_STACK_FILTER_H
#define MT_STACK_FILTER_H

#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

struct filter {
	uint32_t start, stop; /* interned names; both INTERN_NONE: no filter */
	uint32_t begun;       /* the number of the newest region, from 1 */
	uint32_t ended;       /* the newest region that had its STOP */
	uint32_t dropped;     /* the newest region that the end of a file left without one */
	bool inside;
	/* which of the two a function is, where more than its name decides; NULL: its name */
	uint32_t (*named)(void *ctx, int32_t pid, const struct location *place);
	void *ctx;
};

/* No region yet. Both names INTERN_NONE: every event is unmarked. */
void filter_init(struct filter *filter, uint32_t start, uint32_t stop);

static inline bool filter_on(const struct filter *filter)
{
	return filter->start != 0;
}

/* Sets ev->region. START itself lies inside, STOP outside; of several STARTs the first counts. */
void filter_mark(struct filter *filter, struct event *ev);

/* A data file ends: an open region never gets its STOP. */
void filter_end_file(struct filter *filter);

#endif
