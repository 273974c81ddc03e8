/* SPDX-License-Identifier: MIT */
/* go: how Go's scheduler switches between the stacks of goroutines. */
#ifndef MT_STACK_GO_H
#define MT_STACK_GO_H

#include "stack/thread.h"

#include <stdint.h>

/*
 * Leaves the top frame. When that is gogo, which switches to another goroutine's stack, also what
 * leads down to who called mcall or morestack, or everything when neither is there.
 */
void go_leave(struct thread *th, int64_t t);

#endif
