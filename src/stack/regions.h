/* SPDX-License-Identifier: MIT */
/*
 * regions: follows the filter's regions with all threads: what is drawn, and which frames are begun
 * and ended where a region is entered and left.
 *
 * A region may be entered a million times and a trace have a thousand threads. Only threads that
 * did something since the last switch, or have frames, are visited at a switch; the others catch up
 * at their next event.
 */
#ifndef MT_STACK_REGIONS_H
#define MT_STACK_REGIONS_H

#include "event/event.h"
#include "stack/filter.h"
#include "stack/outlet.h"
#include "stack/thread.h"

#include <stdbool.h>
#include <stdint.h>

struct regions {
	struct filter filter;
	struct outlet *outlet;
	bool inside;                     /* what is fed now is drawn */
	uint32_t region;                 /* inside: the filter's region */
	uint32_t left;                   /* the newest region that was left */
	uint32_t epoch;                  /* counts the switches: even inside, odd outside */
	int64_t entered, entered_before; /* when the last regions were entered, ns since the base */
	struct thread **active;          /* those that have not to catch up; owned is the array */
	uint32_t n_active, cap_active;
};

/* Counts as inside until the first event is outside. Both names INTERN_NONE: no filter. */
void regions_init(struct regions *r, struct outlet *outlet, uint32_t start, uint32_t stop);
void regions_fini(struct regions *r);

/* An event as it is read: sets its region, and lets out what a region kept that is now complete. */
void regions_mark(struct regions *r, struct event *ev);

/*
 * With a filter only: before anything else is done with a thread (also one that has just started).
 */
void regions_sync(struct regions *r, struct thread *th);

/* With a filter only: enters or leaves before an event of th, marked with region, is applied at
 * mapped time t. */
void regions_follow(struct regions *r, struct thread *th, int64_t t, uint32_t region);

/* A data file ends: a region that is still open was none. */
void regions_end_file(struct regions *r);

#endif
