/* SPDX-License-Identifier: MIT */
/*
 * hold: the order of spans that share a time.
 *
 * A frame whose call was not seen is found only when control returns to it, and is then said to
 * have begun when its stack began. Viewers sort by time and keep the file's order for equal times;
 * so what happened on that stack at the very time of its beginning must come behind such begins in
 * the file, and has to wait for them: until the stack is gone. Only spans of exactly that time
 * wait.
 *
 * Groups nest as stacks do: one for each stack that may still get such begins.
 */
#ifndef MT_STACK_HOLD_H
#define MT_STACK_HOLD_H

#include "base/span.h"
#include "base/spool.h"
#include "stack/outlet.h"

#include <stdbool.h>
#include <stdint.h>

struct hold_group {
	int64_t time;       /* what waits here has this time (or begins then) */
	struct spool front; /* found later, enclosing: the newest is the outermost */
	struct spool back;  /* in the order they came */
};

struct hold {
	struct outlet *out;
	struct spool_pool *pool;
	struct spool tail; /* what is written behind all groups, see hold_divert */
	bool diverting;
	uint64_t dropped; /* of the innermost group: see hold_drop */
	struct hold_group *groups;
	uint32_t n, cap; /* groups[n..cap) are empty ones that keep their memory */
};

/* No groups. Free with hold_fini. */
void hold_init(struct hold *hold, struct outlet *out, struct spool_pool *pool);
void hold_fini(struct hold *hold);

/* A stack begins at time, which is not before the time of the group that is innermost now. */
void hold_open(struct hold *hold, int64_t time);

/* The innermost stack is gone: what waited for it is written, or waits with the stack around it. */
void hold_close(struct hold *hold);

/*
 * The end of a part of the trace: from here on nothing is written before what waits in the
 * outermost group, until hold_finish, which closes that group (the only one left) and writes all.
 */
void hold_divert(struct hold *hold);
void hold_finish(struct hold *hold);

/*
 * A span of a stack around that of group i, at a time that is not later than that group's: it
 * stands before all that waits there, and behind all that was put before that group.
 */
void hold_put_around(struct hold *hold, uint32_t i, const struct span *span);

/* Drops all groups and what waits in them. */
void hold_reset(struct hold *hold);

/* A span that encloses all that the innermost stack had until now. There must be a group. */
void hold_front(struct hold *hold, const struct span *span);

/*
 * The innermost stack is about to be gone. The n outermost of the spans that hold_front was given
 * for it are not written: what they begin began before that stack. More than there are: all.
 */
void hold_drop(struct hold *hold, uint64_t n);

/* The next span of the thread: waits when its time is that of the innermost group. */
static inline void hold_put(struct hold *hold, const struct span *span)
{
	struct hold_group *group = &hold->groups[hold->n - 1];

	if (hold->out->muted)
		return;
	if (span->time == group->time)
		*(struct span *)spool_push(&group->back) = *span;
	else if (hold->diverting)
		*(struct span *)spool_push(&hold->tail) = *span;
	else
		outlet_span(hold->out, span);
}

#endif
