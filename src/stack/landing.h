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
 * A jump to dst: in the function on top, or out of it to another one (a tail call), or, when it may
 * be far, to a frame further down or to another stack.
 */
void landing_jump(struct thread *th, int64_t t, const struct location *dst, bool far);

/* Control is at dst for another reason: it is in the function on top, or that one became dst's. */
void landing_check(struct thread *th, int64_t t, const struct location *dst);

/* Tracing goes on at dst. What ran in between was drawn as a frame of our own, which is left. */
void landing_start(struct thread *th, int64_t t, const struct location *dst);

/* Back from a system call or an interrupt to dst, perhaps of one whose beginning was not seen. */
void landing_resume(struct thread *th, int64_t t, const struct location *dst);

#endif
