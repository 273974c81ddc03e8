/* SPDX-License-Identifier: MIT */
#include "stack/regions.h"

#include "base/xalloc.h"

#include <stdlib.h>

void regions_init(struct regions *r, struct outlet *outlet, uint32_t start, uint32_t stop)
{
	*r = (struct regions){ .outlet = outlet, .inside = true };
	filter_init(&r->filter, start, stop);
}

void regions_fini(struct regions *r)
{
	free(r->active);
	r->active = NULL;
}

void regions_mark(struct regions *r, struct event *ev)
{
	filter_mark(&r->filter, ev);
	if (r->outlet->keeping && r->filter.ended >= r->region)
		outlet_commit(r->outlet);
}

static void activate(struct regions *r, struct thread *th)
{
	if (r->n_active == r->cap_active) {
		r->cap_active = r->cap_active ? r->cap_active * 2 : 16;
		r->active = xreallocarray(r->active, r->cap_active, sizeof(*r->active));
	}
	r->active[r->n_active++] = th;
	th->active = true;
}

/* A thread that was idle during some switches: the last ones say all. */
static void catch_up(struct regions *r, struct thread *th)
{
	uint32_t missed = r->epoch - th->epoch;

	if (!(th->epoch & 1)) {
		thread_leave_region(th);
		missed--;
	}
	if (missed >= (r->inside ? 3 : 2)) {
		thread_enter_region(th, r->inside ? r->entered_before : r->entered);
		thread_leave_region(th);
	}
	if (r->inside)
		thread_enter_region(th, r->entered);
	th->epoch = r->epoch;
}

void regions_sync(struct regions *r, struct thread *th)
{
	if (!th->started)
		th->epoch = r->epoch;
	if (th->epoch != r->epoch)
		catch_up(r, th);
	if (!th->active)
		activate(r, th);
}

/* Keeps the active threads that have something on their stacks; the others will catch up. */
static void drop_idle(struct regions *r)
{
	uint32_t i, n = 0;

	for (i = 0; i < r->n_active; i++) {
		struct thread *th = r->active[i];

		th->epoch = r->epoch;
		th->active = th->stack.n || th->stack.n_levels > 1;
		if (th->active)
			r->active[n++] = th;
	}
	r->n_active = n;
}

/* A region is left: everything in it ends, and what follows is not drawn. */
static void leave(struct regions *r)
{
	uint32_t i;

	for (i = 0; i < r->n_active; i++)
		thread_leave_region(r->active[i]);
	r->inside = false;
	r->left = r->region;
	r->outlet->muted = true;
	r->epoch++;
	drop_idle(r);
}

static void begin_region(struct regions *r, uint32_t region)
{
	r->region = region;
	if (r->filter.ended < region)
		outlet_keep(r->outlet);
}

static void enter(struct regions *r, int64_t t, uint32_t region)
{
	uint32_t i;

	r->inside = true;
	r->outlet->muted = false;
	r->entered_before = r->entered;
	r->entered = t;
	r->epoch++;
	begin_region(r, region);
	for (i = 0; i < r->n_active; i++)
		thread_enter_region(r->active[i], t);
	drop_idle(r);
}

void regions_follow(struct regions *r, struct thread *th, int64_t t, uint32_t region)
{
	/* What a transaction kept back until its region was over is outside of it. */
	if (region <= r->left)
		region = 0;
	if (r->inside && region && !r->region) {
		/* The very first event is a START: nothing was there that could be entered. */
		begin_region(r, region);
		return;
	}
	if (r->inside && (!region || region != r->region))
		leave(r);
	if (!r->inside && region)
		enter(r, t, region);
	if (!th->active)
		activate(r, th);
}

void regions_end_file(struct regions *r)
{
	if (!filter_on(&r->filter))
		return;
	filter_end_file(&r->filter);
	if (r->filter.dropped > r->left)
		r->left = r->filter.dropped;
	if (!r->inside || r->filter.ended >= r->region)
		return;
	outlet_discard(r->outlet);
	r->inside = false;
	r->outlet->muted = true;
	r->epoch++;
	drop_idle(r);
}
