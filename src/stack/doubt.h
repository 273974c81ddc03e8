/* SPDX-License-Identifier: MIT */
/*
 * doubt: branches of which it has to be seen what follows (ahead.h) before they are carried out.
 *
 * - A return to a function's first byte begins another stack; or it is a jump, of code that pushed
 *   the function's address.
 * - A jump to a function's first byte is a tail call; or it begins another stack. It is looked at
 * the first time that a function does so.
 * - A function that switches stacks returns, or jumps, to where several of them wait.
 */
#ifndef MT_STACK_DOUBT_H
#define MT_STACK_DOUBT_H

#include "event/event.h"
#include "stack/ahead.h"
#include "stack/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* Carries an event of the thread out; an event in doubt has its path in th->path then. */
typedef void doubt_apply(void *ctx, struct thread *th, const struct event *ev);

/* Has an event of the thread, and what waits before it, carried out as far as there is no doubt. */
void doubt_feed(struct thread *th, const struct event *ev, doubt_apply *apply, void *ctx);

/* Nothing more is to be seen: has all that waits carried out. */
void doubt_settle(struct thread *th, doubt_apply *apply, void *ctx);

/* The place in shared.jumpers of a function. */
static inline uint64_t doubt_jumper(uint64_t start)
{
	return (start >> 4 ^ start >> 14) % JUMPERS;
}

/* A jump to a function's first byte by a function of which it is not known that it does so. */
static inline bool doubt_new_jump(const struct thread *th, const struct event *ev)
{
	const struct location *src = &ev->branch.src;
	uint64_t start = src->addr - src->off;

	return src->sym != ev->branch.dst.sym && th->shared->jumpers[doubt_jumper(start)] != start;
}

/* Whether an event is of those that may be in doubt. Few are. */
static inline bool doubt_suspect(const struct thread *th, const struct event *ev)
{
	if (ev->kind != EVENT_BRANCH || ev->branch.state != TRACE_ON)
		return false;
	if (ev->branch.kind == BRANCH_RETURN)
		return !ev->branch.dst.off || th->shared->n_switchers;
	if (ev->branch.kind != BRANCH_JMP)
		return false;
	return ev->branch.dst.off ? th->shared->n_switchers : doubt_new_jump(th, ev);
}

/* Whether an event needs doubt_feed: it may be in doubt, or has to wait behind one that is. */
static inline bool doubt_concerns(const struct thread *th, const struct event *ev)
{
	return th->ahead.n || doubt_suspect(th, ev);
}

#endif
