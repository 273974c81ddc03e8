/* SPDX-License-Identifier: MIT */
/* expect: which frames of a stack control comes back from, or lands in, at a place. */
#ifndef MT_STACK_EXPECT_H
#define MT_STACK_EXPECT_H

#include "event/event.h"
#include "stack/callstack.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether control that lands at dst comes back from the frame. Close behind the place that it was
 * entered from, where a function ends, another one may begin (a signal's handler, say): control
 * that lands there has come back only if it is right behind a call, or at the place itself that was
 * interrupted.
 */
bool expect_back(const struct frame *frame, const struct location *dst);

/*
 * Of the n outermost frames of the current level, the nearest that control comes back from: 1 + its
 * index, or 0 for none.
 */
uint32_t expect_nearest(const struct callstack *cs, uint32_t n, const struct location *dst);

/* Likewise the nearest whose function holds dst. */
uint32_t expect_holder(const struct callstack *cs, uint32_t n, const struct location *dst);

/* Whether the top frame is a call of a function into its own middle, as retpolines have it. */
bool expect_within(const struct callstack *cs);

#endif
