/* SPDX-License-Identifier: MIT */
/*
 * doubt: branches of which it has to be seen what follows (ahead.h) before they are carried out.
 *
 * - A return to a function's first byte begins another stack; or it is a jump, of code that pushed
 *   the function's address.
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

/* Whether an event is of those that may be in doubt. Few are. */
static inline bool doubt_suspect(const struct thread *th, const struct event *ev)
{
	if (ev->kind != EVENT_BRANCH || ev->branch.state != TRACE_ON)
		return false;
	if (ev->branch.kind == BRANCH_RETURN)
		return !ev->branch.dst.off || th->shared->n_switchers;
	return ev->branch.kind == BRANCH_JMP && ev->branch.dst.off && th->shared->n_switchers;
}

/* Whether an event needs doubt_feed: it may be in doubt, or has to wait behind one that is. */
static inline bool doubt_concerns(const struct thread *th, const struct event *ev)
{
	return th->ahead.n || doubt_suspect(th, ev);
}

#endif
