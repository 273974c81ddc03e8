/* SPDX-License-Identifier: MIT */
/*
 * runs: how frames that are found behind a gap in the trace lie on those from before it.
 *
 * Behind the gap a frame is found when control comes back to it, then the one that called it, and
 * so on, outwards. When these are frames from before the gap, each has the function of one of
 * those, and what is above it returns to where that was expected to be returned to. A run is a row
 * of frames of which that is so. It says something only in the end: a function may have been left
 * and called again in the gap, and of one that called itself several frames may be meant.
 */
#ifndef MT_STACK_RUNS_H
#define MT_STACK_RUNS_H

#include "event/event.h"
#include "stack/callstack.h"

#include <stdbool.h>
#include <stdint.h>

/* Frames from before a gap that are looked at: the outermost ones. */
#define RUNS_MAX 8192u

struct runs {
	uint32_t *frames; /* by frame, outermost first: how many frames the run has that ends with
			     it, if it is the one found last; 0: it is not; owned */
	uint32_t n, cap;
	uint32_t copies; /* frames that may still be copied, see loss.h */
};

/* No frames. Free with runs_fini. */
void runs_init(struct runs *runs);
void runs_fini(struct runs *runs);

/* A gap: n frames were there before it, of which none has been found yet. */
void runs_begin(struct runs *runs, uint32_t n);

/* None of them is the one found last, or it cannot be one of them. */
void runs_clear(struct runs *runs);

/*
 * Control is at dst, in a frame that was found; before: the frames from before the gap, as many as
 * runs_begin was told of at least. returned: control came there by a return from the one found
 * before it, or from what took its place.
 */
void runs_find(struct runs *runs, const struct frame *before, const struct location *dst,
	       bool returned);

/* The one found last is frame i, on which the run so far lies: n frames more. */
void runs_set(struct runs *runs, uint32_t i, uint32_t n);

/*
 * The frame that ends the longest run; of several the outermost, since it is certain of no other
 * that it was still there. 1 + its index; 0: there is none.
 */
uint32_t runs_longest(const struct runs *runs);

/* Whether no other frame than that one may be meant. */
bool runs_sure(const struct runs *runs);

#endif
