/* SPDX-License-Identifier: MIT */
#include "stack/loss.h"

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

/* Whether frames can go on over a gap. */
static bool can_go_on(const struct thread *th)
{
	const struct stacks_config *config = &th->shared->config;

	return !config->reference && !config->traps && config->scope == SCOPE_USER && !th->lost &&
	       th->stack.n_levels == 1 && callstack_depth(&th->stack);
}

void loss_begin(struct thread *th, int64_t t)
{
	th->lost_due = false;
	if (!can_go_on(th)) {
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

void loss_announce(struct thread *th, int64_t t)
{
	if (!can_go_on(th)) {
		thread_end(th, t);
		return;
	}
	th->lost_due = true;
	th->lost_time = t;
}

/* The innermost of the n outermost frames in whose function dst is: 1 + its index; 0: there is
 * none. */
static uint32_t holder(const struct callstack *cs, uint32_t n, const struct location *dst)
{
	while (n && !frame_holds(&cs->frames[n - 1], dst))
		n--;
	return n;
}

bool loss_find(struct thread *th, const struct location *dst, bool returned)
{
	struct callstack *cs = &th->stack;
	uint32_t n = thread_doubtful(th), k = returned ? n : 0, in = holder(cs, n, dst);

	if (cs->n_levels != 2)
		return false;
	/* Of a function that calls itself nobody knows which frame it is. */
	if (in && holder(cs, in - 1, dst))
		return false;
	/* What returned was the frame above, or one that took its place. */
	while (k && !frame_expects(&cs->frames[k - 1], dst->addr))
		k--;
	k = k > 1 ? k - 1 : in;
	if (!k)
		return false;
	while (thread_doubtful(th) > k)
		thread_refute(th, true);
	th->lost = false;
	thread_unpark(th);
	return true;
}
