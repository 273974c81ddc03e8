/* SPDX-License-Identifier: MIT */
/*
 * recent: places by the text that perf printed for them. A program runs the same branches again and
 * again, and to compare the bytes of a place is faster than to read them.
 *
 * A place is taken up when it comes a second time: of a text that never repeats itself nothing is
 * copied.
 */
#ifndef MT_PERF_RECENT_H
#define MT_PERF_RECENT_H

#include "base/str.h"
#include "event/event.h"

#include <stddef.h>

struct recent;

struct recent *recent_new(void) __attribute__((returns_nonnull));
void recent_free(struct recent *r);

/* Whether text begins with a text that was taken up: its length and *loc; else 0. */
size_t recent_find(const struct recent *r, struct str text, struct location *loc);

/* Counts one more occurrence of a text that recent_find did not find. */
void recent_add(struct recent *r, struct str text, const struct location *loc);

#endif
