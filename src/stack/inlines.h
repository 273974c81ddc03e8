/* SPDX-License-Identifier: MIT */
/*
 * inlines: what was inlined where, remembered: each place is asked for once as a rule.
 *
 * A chain is a number: that of a function that was inlined and of those around it that were, too.
 * 0 is the empty one.
 */
#ifndef MT_STACK_INLINES_H
#define MT_STACK_INLINES_H

#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

struct inlined_place;

/* The code from start up to end has the chain. */
struct inlines_run {
	uint64_t start, end;
	uint32_t chain;
};

/* The innermost function of a chain. */
struct inlines_function {
	uint64_t unit, scope; /* as of struct inlined_function */
	uint64_t start;       /* a place in it */
	uint32_t name;
	uint32_t around; /* the chain without it */
	uint32_t depth;  /* functions of the chain, at least 1 */
	int32_t pid;
};

struct inlines;

/* ask: as of stacks_config.inlined. Free with inlines_free. */
struct inlines *inlines_new(void (*ask)(void *ctx, int32_t pid, const struct location *place,
					struct inlined_place *out),
			    void *ctx) __attribute__((returns_nonnull));
void inlines_free(struct inlines *inlines);

/* What was inlined at a place of a process, not in the kernel; valid until the next call. */
const struct inlines_run *inlines_at(struct inlines *inlines, int32_t pid,
				     const struct location *place);

/* The function of a chain that is not 0; valid until the next inlines_at. */
const struct inlines_function *inlines_function(const struct inlines *inlines, uint32_t chain);

/* The longest chain that both begin with. */
uint32_t inlines_common(const struct inlines *inlines, uint32_t a, uint32_t b);

static inline bool inlines_holds(const struct inlines_run *run, uint64_t addr)
{
	return addr - run->start < run->end - run->start;
}

#endif
