/* SPDX-License-Identifier: MIT */
#include "stack/loss.h"

#include <string.h>

/* How many frames from before the gap there are: those of the outermost level. */
static uint32_t doubtful(const struct callstack *cs)
{
	return cs->levels[1].base;
}

/* Ends the innermost of them, where the gap is. */
static void refute(struct thread *th, bool drawn)
{
	struct frame frame = callstack_remove_below(&th->stack, doubtful(&th->stack) - 1);

	if (drawn && !frame.hidden)
		spread_end_at(&th->spread, th->lost_time, &frame, th->lost_group);
}

/* The stretch that was lost, from the last branch before it to t. */
static void draw_gap(struct thread *th, int64_t t)
{
	struct span span = { .time = th->spread.time, .end = t, .kind = SPAN_COMPLETE };

	if (span.time >= t)
		return;
	span.track = thread_track(th);
	span.name = known_lost(&th->shared->known, t - span.time);
	hold_put(&th->spread.hold, &span);
}

void loss_begin(struct thread *th, int64_t t)
{
	const struct stacks_config *config = &th->shared->config;

	if (config->reference || config->traps || config->scope != SCOPE_USER || th->lost ||
	    th->stack.n_levels > 1 || !callstack_depth(&th->stack)) {
		thread_end(th, t);
		return;
	}
	while (callstack_depth(&th->stack) && frame_synthetic(callstack_top(&th->stack)))
		thread_pop(th, th->spread.time);
	spread_stop(&th->spread);
	spread_flush(&th->spread, th->spread.time);
	draw_gap(th, t);
	thread_set_aside(th, t);
}

bool loss_find(struct thread *th, const struct location *dst, bool returned)
{
	struct callstack *cs = &th->stack;
	uint32_t n = doubtful(cs), k = returned ? n : 0;

	if (cs->n_levels != 2)
		return false;
	/* What returned was the frame above, or one that took its place. */
	while (k && !frame_expects(&cs->frames[k - 1], dst->addr))
		k--;
	if (k > 1) {
		k--;
	} else {
		k = n;
		while (k && !frame_holds(&cs->frames[k - 1], dst))
			k--;
	}
	if (!k)
		return false;
	while (doubtful(cs) > k)
		refute(th, true);
	th->lost = false;
	thread_unpark(th);
	return true;
}

void loss_give_up(struct thread *th, bool drawn)
{
	struct callstack *cs = &th->stack;

	if (!th->lost)
		return;
	while (doubtful(cs))
		refute(th, drawn);
	th->lost = false;
	/* The stack behind the gap is in the place of the one before it. */
	cs->levels[1].replaced += cs->levels[0].replaced + 1;
	cs->n_levels--;
	memmove(&cs->levels[0], &cs->levels[1], cs->n_levels * sizeof(*cs->levels));
}
