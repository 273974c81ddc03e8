/* SPDX-License-Identifier: MIT */
#include "stack/loss.h"

/*
 * The stretch that was lost, from the last branch before it to t. It is drawn from 1 ns behind that
 * branch on: a frame that the branch entered is around it, which order alone would have to tell if
 * both began at one time.
 */
static void draw_gap(struct thread *th, int64_t t)
{
	struct span span = { .time = th->spread.time + 1, .end = t, .kind = SPAN_COMPLETE };

	if (span.time > t)
		return;
	span.track = thread_track(th);
	span.name = known_lost(&th->shared->known, t - th->spread.time);
	hold_put(&th->spread.hold, &span);
}

/* Frames beyond are taken for those of a recursion. */
#define MOST_CERTAIN 256

/* Whether frame i, of all, is of the same function as one further out. */
static bool recurs(const struct callstack *cs, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < i; k++)
		if (cs->frames[k].start == cs->frames[i].start)
			return true;
	return false;
}

/*
 * So many of the outermost frames are of functions that differ. Of a function that called itself,
 * and of what it called, nobody knows behind a gap which activation goes on.
 */
static uint32_t certain(const struct callstack *cs)
{
	uint32_t n = 0;

	while (n < cs->n && n < MOST_CERTAIN && !recurs(cs, n))
		n++;
	return n;
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
	th->lost_certain = certain(&th->stack);
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
	/* What returned was the frame above, or one that took its place. */
	while (k && !frame_expects(&cs->frames[k - 1], dst->addr))
		k--;
	k = k > 1 ? k - 1 : in;
	if (!k || k > th->lost_certain || in > th->lost_certain)
		return false;
	while (thread_doubtful(th) > k)
		thread_refute(th, true);
	th->lost = false;
	thread_unpark(th);
	return true;
}
