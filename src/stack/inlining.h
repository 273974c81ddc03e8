/* SPDX-License-Identifier: MIT */
/*
 * inlining: draws the functions that the compiler put into others, as spans within their frames.
 *
 * The frame on top has those spans open that were inlined where control is, or was when it called
 * what is above it. Frames know nothing of them otherwise: whatever leaves a frame closes them
 * first.
 *
 * Two runs of one inlined function with no branch between them that is outside are one span.
 */
#ifndef MT_STACK_INLINING_H
#define MT_STACK_INLINING_H

#include "stack/callstack.h"
#include "stack/inlines.h"
#include "stack/spread.h"
#include "stack/stacks.h"

#include <stdint.h>

/* What is needed to draw them in the frames of one thread. */
struct inlining {
	const struct inlines *inlines;
	struct callstack *stack;
	struct spread *spread;
	struct stacks_stats *stats;
	uint64_t *cut; /* as of struct thread */
	uint32_t most; /* no more spans are opened than are shown at a time */
};

/* Opens and closes spans in the frame on top, which there is, so that the chain is open in it. */
void inlining_set(const struct inlining *in, int64_t t, uint32_t chain);

/* What is open in a frame is drawn anew at t, behind the frame: see spread_redraw. */
void inlining_redraw(const struct inlines *inlines, struct spread *sp, int64_t t,
		     const struct frame *frame);

/* What is open in a frame is closed at t, behind which data was lost: see spread_end_at. */
void inlining_end_at(const struct inlines *inlines, struct spread *sp, int64_t t,
		     const struct frame *frame, uint32_t group);

#endif
