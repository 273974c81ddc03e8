/* SPDX-License-Identifier: MIT */
#include "stack/switching.h"

/* Stacks in front of one another; a newer one takes the place of the one in front then. */
#define MAX_STACKS 64

bool switching_known(const struct thread *th, const struct frame *frame)
{
	const struct shared *shared = th->shared;
	uint32_t i;

	for (i = 0; i < shared->n_switchers; i++)
		if (shared->switchers[i] == frame->start)
			return true;
	return false;
}

/* The frame's function switches stacks. Few do: the table never fills in a sound trace. */
static void learn(struct thread *th, const struct frame *frame)
{
	struct shared *shared = th->shared;

	if (shared->n_switchers < SWITCHERS_MAX && !switching_known(th, frame))
		shared->switchers[shared->n_switchers++] = frame->start;
}

/*
 * Whether the outermost frame that is left began a stack. One that was entered by a jump looked
 * like a tail call of the function that switched; when that function, now on top, switches back, it
 * was none.
 */
static bool began_by_jump(const struct frame *frame, const struct frame *top)
{
	return frame->kind == FRAME_CALL && frame->was == top->start && frame->was;
}

/* Keeps the stack of the frames from base to end. */
static void keep_stack(struct thread *th, uint32_t base, uint32_t end)
{
	struct callstack *cs = &th->stack;
	bool front = end == callstack_depth(cs);
	uint32_t left = front ? ++th->fibers.switches : callstack_frame(cs, end)->left;
	struct fiber *fiber;

	fiber = fibers_keep(&th->fibers, callstack_frame(cs, base), end - base, left);
	if (!fiber || th->shared->outlet.muted)
		return;
	fiber->arrow = ++th->shared->arrows;
	cs->frames[callstack_level(cs)->base + end - 1].left = fiber->arrow;
}

/* Keeps the stacks that begin among the frames from depth on. */
static void keep_stacks(struct thread *th, uint32_t depth)
{
	const struct callstack *cs = &th->stack;
	uint32_t n = callstack_depth(cs), base = n, i;
	const struct frame *top;

	if (n <= depth)
		return;
	top = callstack_frame(cs, n - 1);
	if (began_by_jump(callstack_frame(cs, depth), top))
		base = depth;
	for (i = depth; i < n; i++) {
		if (callstack_frame(cs, i)->kind != FRAME_BASE)
			continue;
		if (base < i)
			keep_stack(th, base, i);
		base = i;
	}
	if (base == n)
		return;
	keep_stack(th, base, n);
	learn(th, top);
}

void switching_leave(struct thread *th, int64_t t, uint32_t depth)
{
	keep_stacks(th, depth);
	while (callstack_depth(&th->stack) > depth) {
		const struct frame *top = callstack_top(&th->stack);

		if (top->kind != FRAME_BASE && top->left)
			spread_arrow(&th->spread, t, SPAN_ARROW_FROM, top->left);
		thread_pop(th, t);
	}
}

/* Makes room for another stack in front of the current one. */
static void limit_stacks(struct thread *th, int64_t t)
{
	const struct callstack *cs = &th->stack;
	uint32_t i, last = 0, stacks = 0;

	for (i = 0; i < callstack_depth(cs); i++) {
		if (callstack_frame(cs, i)->kind != FRAME_BASE)
			continue;
		last = i;
		stacks++;
	}
	if (stacks >= MAX_STACKS)
		switching_leave(th, t, last);
}

void switching_enter(struct thread *th, int64_t t, const struct location *dst)
{
	struct frame frame = frame_of(dst, 0);
	const struct frame *top = callstack_top(&th->stack);

	if (top)
		learn(th, top);
	limit_stacks(th, t);
	frame.kind = FRAME_BASE;
	frame.left = ++th->fibers.switches;
	thread_enter(th, t, &frame);
}

bool switching_go_on(struct thread *th, int64_t t, const struct fiber *fiber)
{
	uint32_t i;

	if (!fiber)
		return false;
	limit_stacks(th, t);
	for (i = 0; i < fiber->n; i++) {
		struct frame frame = fiber->frames[i];

		if (i == 0) {
			frame.kind = FRAME_BASE;
			frame.from = 0;
			frame.left = ++th->fibers.switches;
		}
		frame.again = i + 1 < fiber->n;
		thread_enter(th, t, &frame);
	}
	if (fiber->arrow)
		spread_arrow(&th->spread, t, SPAN_ARROW_TO, fiber->arrow);
	return true;
}

/*
 * Of the stacks below the one in front, the one that waits longest for control to land at addr: the
 * depth up to which it goes on, or 0 for none.
 */
static uint32_t waiting(const struct callstack *cs, uint64_t addr)
{
	uint32_t i, n = callstack_depth(cs);

	for (i = 1; i < n; i++)
		if (callstack_frame(cs, i)->kind == FRAME_BASE &&
		    frame_expects(callstack_frame(cs, i - 1), addr))
			return i;
	return 0;
}

bool switching_back(struct thread *th, int64_t t, uint64_t addr)
{
	struct fiber *fiber = fibers_find(&th->fibers, addr);
	uint32_t i = waiting(&th->stack, addr);

	if (i && (!fiber || callstack_frame(&th->stack, i)->left < fiber->left)) {
		switching_leave(th, t, i - 1);
		return true;
	}
	return switching_go_on(th, t, fibers_take(&th->fibers, fiber));
}
