/* SPDX-License-Identifier: MIT */
/* sample: what a sampled stack does to its thread's stack. */
#ifndef MT_STACK_SAMPLE_H
#define MT_STACK_SAMPLE_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdint.h>

/*
 * Makes the thread's stack the sampled one at mapped time t: frames of functions that both have in
 * common, from the outermost on, stay as they are.
 */
void sample_apply(struct thread *th, int64_t t, const struct event *ev);

#endif
