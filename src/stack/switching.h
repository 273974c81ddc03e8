/* SPDX-License-Identifier: MIT */
/*
 * switching: a thread that goes from one stack to another, as coroutines, fibers and contexts do.
 *
 * The stack that control goes to is drawn in front of the frame that switched to it: its first
 * frame is a FRAME_BASE. When control goes back to a stack further down, those in front of it are
 * left and kept (see fibers.h); when one goes on, its frames begin anew.
 */
#ifndef MT_STACK_SWITCHING_H
#define MT_STACK_SWITCHING_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Leaves all frames of the current level but the depth outermost ones. The stacks that begin among
 * those are kept.
 */
void switching_leave(struct thread *th, int64_t t, uint32_t depth);

/* A stack that was never seen begins at dst. The top frame, if any, switched to it. */
void switching_enter(struct thread *th, int64_t t, const struct location *dst);

/* A stack that was left goes on. False: there is none (fiber is NULL), and nothing happens. */
bool switching_go_on(struct thread *th, int64_t t, const struct fiber *fiber);

/*
 * The top frame, which is that of a function that switches, returns to where it was called: or to
 * where another stack called it likewise. Then goes to that stack, the one that waits
 * longest: true.
 */
bool switching_back(struct thread *th, int64_t t, uint64_t addr);

/* Whether the function of the frame was seen to switch stacks. */
bool switching_known(const struct thread *th, const struct frame *frame);

#endif
