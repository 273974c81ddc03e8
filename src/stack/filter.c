/* SPDX-License-Identifier: MIT */
#include "stack/filter.h"

#include "base/intern.h"

void filter_init(struct filter *filter, uint32_t start, uint32_t stop)
{
	/* Calls of one function are all STARTs: no region ever ends. */
	*filter = (struct filter){ .start = start, .stop = stop == start ? UINT32_MAX : stop };
}

/* START, STOP, or INTERN_NONE. */
static uint32_t name_of(const struct filter *filter, int32_t pid, const struct location *place)
{
	uint32_t sym = place->sym;

	if (filter->named)
		sym = filter->named(filter->ctx, pid, place);
	return sym == filter->start || sym == filter->stop ? sym : INTERN_NONE;
}

/* The name of the filter that the event is a hit of, or INTERN_NONE. */
static uint32_t hit_of(const struct filter *filter, const struct event *ev)
{
	uint32_t sym;
	size_t i;

	if (ev->kind == EVENT_BRANCH && ev->branch.kind == BRANCH_CALL &&
	    ev->branch.state != TRACE_START)
		return name_of(filter, ev->pid, &ev->branch.dst);
	if (ev->kind != EVENT_SAMPLE)
		return INTERN_NONE;
	/* The innermost frame that is either of the two decides. */
	for (i = ev->sample.n; i-- > 0;) {
		sym = name_of(filter, ev->pid, &ev->sample.frames[i]);
		if (sym != INTERN_NONE)
			return sym;
	}
	return INTERN_NONE;
}

void filter_mark(struct filter *filter, struct event *ev)
{
	uint32_t hit;

	ev->region = 0;
	if (!filter_on(filter))
		return;
	hit = hit_of(filter, ev);
	if (hit == filter->start && !filter->inside) {
		filter->inside = true;
		filter->begun++;
	} else if (hit == filter->stop && filter->inside) {
		filter->inside = false;
		filter->ended = filter->begun;
	}
	if (filter->inside)
		ev->region = filter->begun;
}

void filter_end_file(struct filter *filter)
{
	if (filter->inside)
		filter->dropped = filter->begun;
	filter->inside = false;
}
