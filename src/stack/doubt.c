/* SPDX-License-Identifier: MIT */
#include "stack/doubt.h"

#include "base/intern.h"
#include "stack/expect.h"
#include "stack/switching.h"

/* Whether what follows may be looked at: it is not known there what the kernel does to stacks. */
static bool can_wait(const struct thread *th)
{
	const struct stacks_config *config = &th->shared->config;

	return !config->reference && !config->traps && config->scope == SCOPE_USER &&
	       !config->filter_start.n && !config->filter_stop.n && !th->lost_due;
}

/* The n outermost frames of the current level. */
static void tell_lower(struct thread *th, enum ahead_way way, uint32_t index, uint32_t n,
		       uint32_t left)
{
	const struct callstack *cs = &th->stack;
	struct ahead_path path = { .way = way, .index = index, .n = n, .left = left };

	path.frames = n ? callstack_frame(cs, 0) : NULL;
	ahead_tell(&th->ahead, &path);
}

/*
 * A return to a function's first byte that no frame expects. It is none of these if the function
 * has a part elsewhere that begins there, or if it is a retpoline's, and so a jump.
 */
static void tell_return(struct thread *th, const struct location *dst)
{
	const struct callstack *cs = &th->stack;
	uint32_t n = callstack_depth(cs);

	/* the others look at the whole stack, and retpolines return so at each indirect call */
	if (expect_within(cs) || expect_nearest(cs, n, dst) || expect_holder(cs, n, dst))
		return;
	tell_lower(th, AHEAD_NEW, 0, 0, 0);
	tell_lower(th, AHEAD_JUMP, 0, n, 1);
}

static void tell_jump(struct thread *th)
{
	tell_lower(th, AHEAD_NEW, 0, 0, 1);
	tell_lower(th, AHEAD_JUMP, 0, callstack_depth(&th->stack), 0);
}

/* Stacks in front of one another on the current level: the frame below each of them switched. */
static void tell_waiting_below(struct thread *th, const struct location *dst)
{
	const struct callstack *cs = &th->stack;
	uint32_t i, n = callstack_depth(cs);

	for (i = 1; i < n; i++)
		if (callstack_frame(cs, i)->kind == FRAME_BASE &&
		    frame_expects(callstack_frame(cs, i - 1), dst->addr))
			tell_lower(th, AHEAD_LOWER, i - 1, i - 1, callstack_frame(cs, i)->left);
}

static void tell_left(struct thread *th, const struct location *dst)
{
	const struct fibers *fibers = &th->fibers;
	uint32_t i;

	for (i = 0; i < fibers->n; i++) {
		const struct fiber *fiber = &fibers->list[i];
		struct ahead_path path = { .way = AHEAD_FIBER, .index = i, .left = fiber->left };

		if (!frame_expects(&fiber->gone, dst->addr))
			continue;
		path.frames = fiber->frames;
		path.n = fiber->n;
		ahead_tell(&th->ahead, &path);
	}
}

/* A return or jump into a function's middle, when stacks were seen to switch. */
static void tell_switch(struct thread *th, const struct location *dst)
{
	const struct callstack *cs = &th->stack;
	uint32_t n = callstack_depth(cs);
	const struct frame *top = callstack_frame(cs, n - 1);

	tell_waiting_below(th, dst);
	tell_left(th, dst);
	if (expect_back(top, dst))
		tell_lower(th, AHEAD_TOP, 0, n - 1, UINT32_MAX);
}

/* Whether the event, that comes next, may do several things; they are told. */
static bool in_doubt(struct thread *th, const struct event *ev)
{
	const struct location *dst = &ev->branch.dst;
	const struct frame *top = callstack_top(&th->stack);

	if (!doubt_suspect(th, ev) || !can_wait(th) || !top || top->kind != FRAME_CALL ||
	    !top->from || dst->sym == INTERN_NONE)
		return false;
	ahead_doubt(&th->ahead);
	if (dst->off && switching_known(th, top))
		tell_switch(th, dst);
	else if (dst->off || switching_known(th, top))
		return false;
	else if (ev->branch.kind == BRANCH_RETURN)
		tell_return(th, dst);
	else
		tell_jump(th);
	return th->ahead.n_paths > 1 && (!dst->off || ahead_differ(&th->ahead));
}

/* A function that jumps to another need not be looked at again. */
static void learn(struct thread *th, const struct event *ev)
{
	uint64_t start = ev->branch.src.addr - ev->branch.src.off;

	if (th->path.way == AHEAD_JUMP && ev->branch.kind == BRANCH_JMP)
		th->shared->jumpers[doubt_jumper(start)] = start;
}

/* Carries out what waits, up to the next doubt; all: what is known now has to do for each. */
static void carry_out(struct thread *th, doubt_apply *apply, void *ctx, bool all)
{
	struct ahead *a = &th->ahead;
	struct event ev;

	while (a->n) {
		if (!a->judged && !in_doubt(th, ahead_first(a)))
			ahead_doubt(a);
		if (!ahead_known(a) && !all)
			return;
		th->path = ahead_path(a);
		ev = ahead_next(a);
		learn(th, &ev);
		apply(ctx, th, &ev);
		th->path.way = AHEAD_NONE;
	}
}

void doubt_settle(struct thread *th, doubt_apply *apply, void *ctx)
{
	carry_out(th, apply, ctx, true);
}

void doubt_feed(struct thread *th, const struct event *ev, doubt_apply *apply, void *ctx)
{
	/* The frames of a sample do not outlast it. */
	if (ev->kind == EVENT_SAMPLE)
		doubt_settle(th, apply, ctx);
	if (!th->ahead.n && !in_doubt(th, ev)) {
		apply(ctx, th, ev);
		return;
	}
	ahead_wait(&th->ahead, ev);
	carry_out(th, apply, ctx, false);
}
