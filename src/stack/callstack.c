/* SPDX-License-Identifier: MIT */
#include "stack/callstack.h"

#include "base/intern.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void callstack_init(struct callstack *cs, int64_t created)
{
	*cs = (struct callstack){ .cap_levels = 2 };
	cs->levels = xcalloc(cs->cap_levels, sizeof(*cs->levels));
	callstack_reset(cs, created);
}

void callstack_fini(struct callstack *cs)
{
	free(cs->frames);
	free(cs->levels);
	*cs = (struct callstack){ 0 };
}

void callstack_reset(struct callstack *cs, int64_t created)
{
	cs->n = 0;
	cs->shown = 0;
	cs->n_levels = 1;
	cs->levels[0] = (struct level){ .created = created, .base_time = created };
}

void callstack_push(struct callstack *cs, const struct frame *frame)
{
	if (cs->n == cs->cap) {
		cs->cap = cs->cap ? cs->cap * 2 : 8;
		cs->frames = xreallocarray(cs->frames, cs->cap, sizeof(*cs->frames));
	}
	cs->frames[cs->n++] = *frame;
	if (!frame->hidden && !frame->copy)
		cs->shown++;
}

static void uncount(struct callstack *cs, const struct frame *frame)
{
	if (!frame->hidden && !frame->copy)
		cs->shown--;
	cs->shown -= frame->inlined_shown;
}

struct frame callstack_pop(struct callstack *cs)
{
	struct frame frame = cs->frames[--cs->n];

	uncount(cs, &frame);
	return frame;
}

void callstack_remove_outermost(struct callstack *cs)
{
	uint32_t base = callstack_level(cs)->base;

	uncount(cs, &cs->frames[base]);
	cs->n--;
	memmove(&cs->frames[base], &cs->frames[base + 1], (cs->n - base) * sizeof(*cs->frames));
}

struct frame callstack_remove_below(struct callstack *cs, uint32_t i)
{
	struct frame frame = cs->frames[i];
	uint32_t k;

	uncount(cs, &frame);
	cs->n--;
	memmove(&cs->frames[i], &cs->frames[i + 1], (cs->n - i) * sizeof(*cs->frames));
	for (k = 0; k < cs->n_levels; k++)
		if (cs->levels[k].base > i)
			cs->levels[k].base--;
	return frame;
}

void callstack_park(struct callstack *cs, int64_t t)
{
	if (cs->n_levels == cs->cap_levels) {
		cs->cap_levels *= 2;
		cs->levels = xreallocarray(cs->levels, cs->cap_levels, sizeof(*cs->levels));
	}
	cs->levels[cs->n_levels++] = (struct level){
		.base = cs->n,
		.max_shown = cs->shown,
		.created = t,
		.base_time = t,
	};
}

bool callstack_unpark(struct callstack *cs)
{
	const struct level *gone = callstack_level(cs);
	struct level *level;

	if (cs->n_levels == 1)
		return false;
	cs->n_levels--;
	level = callstack_level(cs);
	level->used |= gone->used || gone->used_before;
	if (level->max_shown < gone->max_shown)
		level->max_shown = gone->max_shown;
	return true;
}

int64_t callstack_newest(const struct callstack *cs)
{
	uint32_t k, end = cs->n;
	int64_t t = INT64_MIN;

	for (k = cs->n_levels; k-- > 0; end = cs->levels[k].base)
		if (cs->levels[k].base < end && cs->levels[k].created > t)
			t = cs->levels[k].created;
	return t;
}

struct frame frame_of(const struct location *loc, uint64_t from)
{
	return (struct frame){
		.addr = loc->addr,
		.start = loc->addr - loc->off,
		.from = from,
		.sym = loc->sym,
		.dso = loc->dso,
	};
}

static bool same_place(const struct frame *frame, const struct location *loc)
{
	return frame->sym == loc->sym && frame->addr == loc->addr && frame->dso == loc->dso;
}

bool frame_same_symbol(const struct frame *frame, const struct location *loc)
{
	if (frame->sym == INTERN_NONE)
		return same_place(frame, loc);
	return frame->sym == loc->sym;
}

bool frame_holds(const struct frame *frame, const struct location *loc)
{
	if (loc->sym == INTERN_NONE || frame->sym != loc->sym)
		return false;
	return loc->off || frame->start != loc->addr;
}

bool frame_same_start(const struct frame *frame, const struct location *loc)
{
	return frame->start == loc->addr - loc->off;
}
