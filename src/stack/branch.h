/* SPDX-License-Identifier: MIT */
/* branch: what a branch does to its thread's stack: the table of kinds and trace states. */
#ifndef MT_STACK_BRANCH_H
#define MT_STACK_BRANCH_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdint.h>

/* Applies a branch (ev->kind is EVENT_BRANCH) at mapped time t. */
void branch_apply(struct thread *th, int64_t t, const struct event *ev);

#endif
