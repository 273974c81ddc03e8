/* SPDX-License-Identifier: MIT */
#include "stack/regions.h"

#include "base/xalloc.h"
#include "stack/inlining.h"
#include "stack/loss.h"

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

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* As thread_end at the last event's time. */
static void leave_region(struct thread *th)
{
	thread_end(th, th->last_event_time);
	th->floor = th->last_error_time;
}

/* Nothing from before t is written but one inferred begin for each frame. */
static void enter_region(struct thread *th, int64_t t)
{
	struct callstack *cs = &th->stack;
	struct spread *sp = thread_spread(th);
	uint32_t i, k, shown = 0;
	int64_t oldest;

	if (th->lost)
		loss_forget(th);
	t = max(t, max(th->last_error_time, th->last_event_time));
	oldest = max(t - 1, th->floor);
	th->floor = t;
	spread_reset(sp, t);
	for (k = 0; k < cs->n_levels; k++) {
		struct level *level = &cs->levels[k];
		uint32_t end = k + 1 < cs->n_levels ? cs->levels[k + 1].base : cs->n;

		/*
		 * Frames still to be found on the oldest stack begin before these; a stack in front
		 * of another cannot have begun before it.
		 */
		level->created = k ? t : oldest;
		/* Nor do frames on a stack in the oldest one's place begin later than it. */
		if (k || level->base_time > oldest)
			level->base_time = level->created;
		level->replaced = 0;
		level->bare = false;
		level->used = level->used_before = false;
		spread_open(sp, max(level->created, level->base_time));
		for (i = level->base; i < end; i++) {
			const struct frame *frame = &cs->frames[i];

			if (frame->hidden || frame->copy)
				continue;
			shown += 1 + frame->inlined_shown;
			spread_redraw(sp, t, frame);
			inlining_redraw(th->shared->inlines, sp, t, frame);
		}
		level->max_shown = shown;
	}
}

/* A thread that was idle during some switches: the last ones say all. */
static void catch_up(struct regions *r, struct thread *th)
{
	uint32_t missed = r->epoch - th->epoch;

	if (!(th->epoch & 1)) {
		leave_region(th);
		missed--;
	}
	if (missed >= (r->inside ? 3 : 2)) {
		enter_region(th, r->inside ? r->entered_before : r->entered);
		leave_region(th);
	}
	if (r->inside)
		enter_region(th, r->entered);
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
		leave_region(r->active[i]);
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
		enter_region(r->active[i], t);
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
