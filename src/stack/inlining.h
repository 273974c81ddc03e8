/* SPDX-License-Identifier: MIT */
/*
 * inlining: draws the functions that the compiler put into others, as spans within their frames.
 *
 * Where control is, is seen where branches come from and go to. The frame on top has those spans
 * open that were inlined where control is, or was when it called what is above it. Frames know
 * nothing of them otherwise: whatever leaves a frame closes them first.
 *
 * Two runs of one inlined function with no branch between them that is outside are one span.
 */
#ifndef MT_STACK_INLINING_H
#define MT_STACK_INLINING_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdint.h>

/*
 * Control is at a place at t: when the frame on top is of that function, what was inlined there is
 * open from now on, and nothing else.
 */
void inlining_at(struct thread *th, int64_t t, const struct location *place);

/*
 * Where control, going on from th->at without a branch, came to the inlined code that src is in;
 * src's address when it was there all along or that is not known.
 */
uint64_t inlining_border(struct thread *th, const struct location *src);

/* Opens and closes spans in the frame on top, which there is, so that the chain is open in it. */
void inlining_set(struct thread *th, int64_t t, uint32_t chain);

/* What is open in a frame is drawn anew at t, behind the frame: see spread_redraw. */
void inlining_redraw(struct thread *th, int64_t t, const struct frame *frame);

/* What is open in a frame of before the gap is closed where that begins: see loss.h. */
void inlining_end_at(struct thread *th, const struct frame *frame);

#endif
