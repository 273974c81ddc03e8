/* SPDX-License-Identifier: MIT */
#include "stack/loss.h"

#include "stack/inlining.h"

#include <string.h>

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
static bool can_go_on(struct thread *th)
{
	const struct stacks_config *config = &th->shared->config;

	if (th->lost)
		loss_settle(th);
	return !config->reference && !config->traps && config->scope == SCOPE_USER &&
	       th->stack.n_levels == 1 && callstack_depth(&th->stack);
}

/* Of the stack that was set aside (th->lost): how many frames there are. */
static uint32_t doubtful(const struct thread *th)
{
	return th->stack.levels[1].base;
}

/* Of the frames that were set aside the n outermost count as shown. */
static void show(struct thread *th, uint32_t n)
{
	struct callstack *cs = &th->stack;
	uint32_t i, shown = 0;

	for (i = 0; i < n; i++)
		shown += (!cs->frames[i].hidden && !cs->frames[i].copy) +
			 cs->frames[i].inlined_shown;
	cs->shown += shown - th->lost_shown;
	th->lost_shown = shown;
}

static bool unwinds(const struct thread *th)
{
	const struct callstack *cs = &th->stack;
	uint32_t i;

	for (i = 0; i < cs->n; i++)
		if (known_unwinder(&th->shared->known, cs->frames[i].sym))
			return true;
	return false;
}

static void set_aside(struct thread *th, int64_t t)
{
	struct callstack *cs = &th->stack;

	th->last_error_time = th->lost_time = t;
	th->lost = true;
	th->lost_certain = certain(cs);
	th->unwinds = unwinds(th);
	runs_begin(&th->runs, cs->n);
	callstack_park(cs, t);
	th->lost_shown = cs->shown;
	show(th, 0);
	callstack_level(cs)->max_shown = 0;
	fibers_clear(&th->fibers);
	th->at = 0;
	spread_part(&th->spread, t);
	th->lost_group = th->spread.hold.n;
	spread_open(&th->spread, t);
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
	set_aside(th, t);
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

/* What is inlined into a frame that was set aside is ended where the gap is. */
static void end_inlined(struct thread *th, const struct frame *frame)
{
	inlining_end_at(th->shared->inlines, &th->spread, th->lost_time, frame, th->lost_group);
}

/* Likewise the innermost of these frames. */
static void refute(struct thread *th)
{
	struct frame frame = callstack_remove_below(&th->stack, doubtful(th) - 1);

	end_inlined(th, &frame);
	if (!frame.hidden)
		spread_end_at(&th->spread, th->lost_time, &frame, th->lost_group);
}

/* It is the one that was found, and has been drawn, and left, as that. */
static void identify(struct thread *th)
{
	struct frame frame = callstack_remove_below(&th->stack, doubtful(th) - 1);

	end_inlined(th, &frame);
}

/* It is the outermost one of the current level, and goes on in its place. */
static void go_on(struct thread *th)
{
	struct callstack *cs = &th->stack;
	struct frame *frame = &cs->frames[doubtful(th) - 1];
	struct frame found = *callstack_frame(cs, 0);

	end_inlined(th, frame);
	cs->shown -= frame->inlined_shown;
	frame->inlined = found.inlined;
	frame->inlined_shown = found.inlined_shown;
	cs->shown += found.inlined_shown;
	callstack_remove_outermost(cs);
}

/* The stack behind the gap is in the place of the one before it. */
static void take_place(struct thread *th)
{
	struct callstack *cs = &th->stack;

	th->lost = false;
	cs->levels[1].replaced += cs->levels[0].replaced + 1;
	cs->n_levels--;
	memmove(&cs->levels[0], &cs->levels[1], cs->n_levels * sizeof(*cs->levels));
}

/* 1 + the index of the frame that was found last among those set aside; 0: it is none of them. */
static uint32_t found(const struct thread *th)
{
	const struct callstack *cs = &th->stack;

	/* The kernel was there, or another stack: then what was found is no row any more. */
	if (cs->n_levels != 2 || cs->levels[1].replaced)
		return 0;
	return runs_longest(&th->runs);
}

void loss_settle(struct thread *th)
{
	struct callstack *cs = &th->stack;
	uint32_t last = found(th), run = last ? th->runs.frames[last - 1] : 0;
	bool there = callstack_depth(cs) && callstack_frame(cs, 0)->inferred;

	show(th, doubtful(th));
	while (doubtful(th) > (run ? last - 1 + run : 0))
		refute(th);
	if (!run) {
		take_place(th);
		return;
	}
	while (doubtful(th) > last)
		identify(th);
	if (there)
		go_on(th);
	else
		identify(th);
	/* drawn once, not twice */
	th->shared->stats.calls -= run;
	spread_drop(&th->spread, run);
	th->lost = false;
	thread_unpark(th);
}

void loss_settle_found(struct thread *th)
{
	if (found(th) && runs_sure(&th->runs))
		loss_settle(th);
}

void loss_forget(struct thread *th)
{
	show(th, doubtful(th));
	while (doubtful(th))
		callstack_remove_below(&th->stack, doubtful(th) - 1);
	take_place(th);
}

/*
 * A frame was inferred. If it is to be one of those set aside, these are around it: they count as
 * shown, and there must be room for them on the track.
 */
static void note_found(struct thread *th)
{
	uint32_t most = th->shared->config.max_depth, last;

	if (callstack_top(&th->stack)->hidden)
		runs_clear(&th->runs);
	last = found(th);
	show(th, last ? last - 1 : 0);
	if (most && callstack_level(&th->stack)->max_shown + th->lost_shown > most) {
		runs_clear(&th->runs);
		show(th, 0);
	}
}

/*
 * A handler of a signal does not return to what it interrupted: the frame that was found has to
 * know that it is one.
 */
static void take_kind(struct thread *th, uint32_t last)
{
	const struct frame *before = &th->stack.frames[last - 1];
	struct frame *top = callstack_top(&th->stack);

	if (before->kind == FRAME_SIGNAL || before->kind == FRAME_SIGRETURN) {
		top->kind = before->kind;
		top->from = before->from;
	}
}

void loss_find(struct thread *th, int64_t t, const struct location *dst, bool returned)
{
	uint32_t last;

	runs_find(&th->runs, th->stack.frames, dst, returned);
	thread_infer(th, t, dst);
	if (!th->lost)
		return;
	note_found(th);
	last = found(th);
	if (!last)
		return;
	take_kind(th, last);
	if (!th->unwinds && last <= th->lost_certain && runs_sure(&th->runs) &&
	    th->runs.frames[last - 1] > 1)
		loss_settle(th);
}

/* The frame was found, and has been left. */
static void copy(struct thread *th, int64_t t, uint32_t i)
{
	const struct frame *frame = &th->stack.frames[i];
	struct location place = {
		.addr = frame->addr,
		.off = frame->addr - frame->start,
		.sym = frame->sym,
		.dso = frame->dso,
	};

	thread_infer(th, t, &place);
	thread_pop(th, t);
}

/* How many frames lie between the one found last and the next that holds dst; UINT32_MAX: no frames
 * that could be copied. */
static uint32_t passed(struct thread *th, uint32_t last, const struct location *dst)
{
	const struct frame *before = th->stack.frames;
	uint32_t i;

	for (i = last; i-- > 1;) {
		const struct frame *frame = &before[i - 1];

		if (frame->hidden || frame->copy || frame->kind == FRAME_BASE)
			return UINT32_MAX;
		if (frame_holds(frame, dst))
			return last - 1 - i;
	}
	return UINT32_MAX;
}

void loss_unwind(struct thread *th, int64_t t, const struct location *dst)
{
	uint32_t last = found(th), n = last ? passed(th, last, dst) : UINT32_MAX, i;

	th->unwinds = true;
	if (n > th->runs.copies || n >= CALLSTACK_MAX_FRAMES - th->stack.n) {
		loss_find(th, t, dst, false);
		return;
	}
	th->runs.copies -= n;
	for (i = 0; i < n; i++)
		copy(th, t, last - 2 - i);
	runs_set(&th->runs, last - 2 - n, n + 1);
	thread_infer(th, t, dst);
	note_found(th);
}
