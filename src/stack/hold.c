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

static void empty(struct hold_group *group)
{
	spool_clear(&group->front);
	spool_clear(&group->back);
}

void hold_close(struct hold *hold)
{
	struct hold_group *group = &hold->groups[--hold->n];
	struct hold_group *around = hold->n ? group - 1 : NULL;

	if (around && around->time == group->time) {
		spool_each_back(&group->front, append, &around->back);
		spool_each(&group->back, append, &around->back);
	} else if (hold->diverting && around) {
		spool_each_back(&group->front, append, &hold->tail);
		spool_each(&group->back, append, &hold->tail);
	} else {
		spool_each_back(&group->front, write_out, hold->out);
		spool_each(&group->back, write_out, hold->out);
	}
	empty(group);
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
}

void hold_front(struct hold *hold, const struct span *span)
{
	if (!hold->out->muted)
		append(&hold->groups[hold->n - 1].front, (void *)span);
}
