/* SPDX-License-Identifier: MIT */
/*
 * landing: which frame control is in, when it came there by anything but a call.
 *
 * Each frame knows where control comes back to from it (frame_expects). When a landing is not where
 * the top frame was expected to be left to, then frames were left in another way than by a return
 * (an exception, a longjmp), the kernel sent control elsewhere (a signal), or another stack goes on
 * (a coroutine): the frame, or the stack that was left before, to which the landing fits is looked
 * for. Only when there is none, the rules of the OCaml magic-trace apply.
 *
 * With stacks_config.reference only the latter.
 */
#ifndef MT_STACK_LANDING_H
#define MT_STACK_LANDING_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* A return to dst. */
void landing_return(struct thread *th, int64_t t, const struct location *dst);

/*
 * A jump from src to dst: in the function on top, or out of it to another one (a tail call), or,
 * when it may be far, to a frame further down or to another stack.
 */
void landing_jump(struct thread *th, int64_t t, uint64_t src, const struct location *dst, bool far);

/* Control is at dst for another reason: it is in the function on top, or that one became dst's. */
void landing_check(struct thread *th, int64_t t, const struct location *dst);

/* As landing_check, where the place may be that of an exception's handler in OCaml. */
void landing_arrive(struct thread *th, int64_t t, const struct location *dst);

/*
 * A landing that is not where the top frame, which there is, returns to: in a function further down
 * (of the n outermost frames), or on another stack. False: no place for it was found, and nothing
 * happened.
 */
bool landing_far(struct thread *th, int64_t t, const struct location *dst, uint32_t n);

#endif
