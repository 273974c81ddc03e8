/* SPDX-License-Identifier: MIT */
#include "stack/hold.h"

#include "base/xalloc.h"

#include <stdlib.h>

void hold_init(struct hold *hold, struct outlet *out, struct spool_pool *pool)
{
	*hold = (struct hold){ .out = out, .pool = pool };
	spool_init(&hold->tail, pool, sizeof(struct span));
}

void hold_fini(struct hold *hold)
{
	uint32_t i;

	for (i = 0; i < hold->cap; i++) {
		spool_fini(&hold->groups[i].front);
		spool_fini(&hold->groups[i].back);
	}
	spool_fini(&hold->tail);
	free(hold->groups);
	hold_init(hold, hold->out, hold->pool);
}

void hold_open(struct hold *hold, int64_t time)
{
	uint32_t i, cap;

	if (hold->n == hold->cap) {
		cap = hold->cap ? hold->cap * 2 : 2;
		hold->groups = xreallocarray(hold->groups, cap, sizeof(*hold->groups));
		for (i = hold->cap; i < cap; i++) {
			spool_init(&hold->groups[i].front, hold->pool, sizeof(struct span));
			spool_init(&hold->groups[i].back, hold->pool, sizeof(struct span));
		}
		hold->cap = cap;
	}
	hold->groups[hold->n++].time = time;
}

static void write_out(void *ctx, void *rec)
{
	outlet_span(ctx, rec);
}

static void append(void *ctx, void *rec)
{
	*(struct span *)spool_push(ctx) = *(const struct span *)rec;
}

/* A walk over what is in front of a group, the outermost first. */
struct walk {
	void (*fn)(void *ctx, void *rec);
	void *ctx;
	uint64_t dropped; /* still to be left out */
};

static void step(void *ctx, void *rec)
{
	struct walk *walk = ctx;

	if (walk->dropped)
		walk->dropped--;
	else
		walk->fn(walk->ctx, rec);
}

static void each_front(struct hold_group *group, uint64_t dropped, void (*fn)(void *ctx, void *rec),
		       void *ctx)
{
	struct walk walk = { .fn = fn, .ctx = ctx, .dropped = dropped };

	spool_each_back(&group->front, step, &walk);
}

static void empty(struct hold_group *group)
{
	spool_clear(&group->front);
	spool_clear(&group->back);
}

static uint64_t count(const struct hold_group *group)
{
	return spool_count(&group->front) + spool_count(&group->back);
}

static void swap(struct hold_group *a, struct hold_group *b)
{
	struct hold_group c = *a;

	*a = *b;
	*b = c;
}

/*
 * What waits in group waits with the one around it, of the same time, from now on. The smaller of
 * the two is copied: stacks that nest without end would be copied again at every level.
 */
static void merge(struct hold_group *around, struct hold_group *group, uint64_t dropped)
{
	if (count(around) >= count(group) || dropped) {
		each_front(group, dropped, append, &around->back);
		spool_each(&group->back, append, &around->back);
	} else {
		spool_each_back(&around->back, append, &group->front);
		spool_each(&around->front, append, &group->front);
		swap(around, group);
	}
}

void hold_close(struct hold *hold)
{
	struct hold_group *group = &hold->groups[--hold->n];
	struct hold_group *around = hold->n ? group - 1 : NULL;
	uint64_t dropped = hold->dropped;

	if (around && around->time == group->time) {
		merge(around, group, dropped);
	} else if (hold->diverting && around) {
		each_front(group, dropped, append, &hold->tail);
		spool_each(&group->back, append, &hold->tail);
	} else {
		each_front(group, dropped, write_out, hold->out);
		spool_each(&group->back, write_out, hold->out);
	}
	empty(group);
	hold->dropped = 0;
}

void hold_divert(struct hold *hold)
{
	hold->diverting = true;
}

void hold_finish(struct hold *hold)
{
	hold_close(hold);
	hold->diverting = false;
	spool_each(&hold->tail, write_out, hold->out);
	spool_clear(&hold->tail);
}

void hold_reset(struct hold *hold)
{
	while (hold->n)
		empty(&hold->groups[--hold->n]);
	hold->dropped = 0;
}

void hold_put_around(struct hold *hold, uint32_t i, const struct span *span)
{
	if (hold->out->muted)
		return;
	while (i-- > 0) {
		if (hold->groups[i].time != span->time)
			continue;
		append(&hold->groups[i].back, (void *)span);
		return;
	}
	if (hold->diverting)
		append(&hold->tail, (void *)span);
	else
		outlet_span(hold->out, span);
}

void hold_front(struct hold *hold, const struct span *span)
{
	if (!hold->out->muted)
		append(&hold->groups[hold->n - 1].front, (void *)span);
}

void hold_drop(struct hold *hold, uint64_t n)
{
	hold->dropped += n;
}
