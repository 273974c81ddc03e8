/* SPDX-License-Identifier: MIT */
/*
 * resume: where control is when the kernel gives it back.
 *
 * As a rule where it was. But a signal's handler may begin instead, or a program after an exec; or
 * a handler is left, for what it interrupted or by a longjmp.
 *
 * With stacks_config.reference the rules of the OCaml magic-trace apply.
 */
#ifndef MT_STACK_RESUME_H
#define MT_STACK_RESUME_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdint.h>

/* Tracing goes on at dst. What ran in between was drawn as a frame of our own, which is left. */
void resume_start(struct thread *th, int64_t t, const struct location *dst);

/* Back from a system call or an interrupt to dst, perhaps of one whose beginning was not seen. */
void resume_interrupted(struct thread *th, int64_t t, const struct location *dst);

#endif
