/* SPDX-License-Identifier: MIT */
#include "stack/inlining.h"

#include "base/intern.h"

/* The span of the innermost function of a chain that is open in the frame. */
static struct frame span_of(const struct thread *th, const struct frame *frame, uint32_t chain)
{
	const struct inlines_function *function = inlines_function(th->shared->inlines, chain);

	return (struct frame){
		.addr = function->start,
		.start = function->start,
		.from = function->depth,
		.sym = function->name,
		.dso = frame->dso,
		.kind = FRAME_INLINED,
		.hidden = function->depth > frame->inlined_shown,
		.again = frame->again,
	};
}

static void open_span(struct thread *th, int64_t t, struct frame *frame, uint32_t chain)
{
	uint32_t depth = inlines_function(th->shared->inlines, chain)->depth;
	struct callstack *cs = &th->stack;
	struct level *level = callstack_level(cs);
	struct frame span;

	th->shared->stats.inlined++;
	if (frame->hidden || thread_too_deep(th) || frame->inlined_shown + 1u != depth) {
		th->cut++;
		th->shared->stats.hidden++;
	} else {
		frame->inlined_shown++;
		cs->shown++;
		if (level->max_shown < cs->shown)
			level->max_shown = cs->shown;
	}
	frame->inlined = chain;
	span = span_of(th, frame, chain);
	spread_begin(thread_spread(th), t, &span);
}

static void close_span(struct thread *th, int64_t t, struct frame *frame)
{
	struct frame span = span_of(th, frame, frame->inlined);
	uint64_t below = 0;

	if (!span.hidden) {
		below = th->cut;
		th->cut = 0;
		frame->inlined_shown--;
		th->stack.shown--;
	}
	spread_end(thread_spread(th), t, &span, below);
	callstack_level(&th->stack)->used = true;
	frame->inlined = inlines_function(th->shared->inlines, frame->inlined)->around;
}

void inlining_set(struct thread *th, int64_t t, uint32_t chain)
{
	struct frame *frame = callstack_top(&th->stack);
	uint32_t path[INLINED_MAX], n = 0, common;

	if (frame->inlined == chain)
		return;
	common = inlines_common(th->shared->inlines, frame->inlined, chain);
	while (frame->inlined != common)
		close_span(th, t, frame);
	for (; chain != common; chain = inlines_function(th->shared->inlines, chain)->around)
		path[n++] = chain;
	while (n)
		open_span(th, t, frame, path[--n]);
}

/* Whether the place is in the frame's function. A copy has its spans where the frame is. */
static bool is_in(const struct frame *frame, const struct location *place)
{
	if (frame_synthetic(frame) || frame->copy)
		return false;
	return frame_same_start(frame, place) ||
	       (place->sym != INTERN_NONE && frame->sym == place->sym);
}

/* Nothing is known of the kernel. */
static bool may_be_inlined(const struct thread *th, uint64_t addr)
{
	return th->shared->inlines && addr && !(addr >> 63);
}

/* What was inlined at the place. */
static uint32_t chain_at(struct thread *th, const struct location *place)
{
	if (!inlines_holds(&th->run, place->addr))
		th->run = *inlines_at(th->shared->inlines, th->pid, place);
	return th->run.chain;
}

void inlining_at(struct thread *th, int64_t t, const struct location *place)
{
	const struct frame *top = callstack_top(&th->stack);

	if (may_be_inlined(th, place->addr) && top && is_in(top, place))
		inlining_set(th, t, chain_at(th, place));
}

uint64_t inlining_border(struct thread *th, const struct location *src)
{
	uint32_t before = th->run.chain;

	/* Not known: before the first branch, or elsewhere than where the last one led to. */
	if (!may_be_inlined(th, src->addr) || !inlines_holds(&th->run, th->at))
		return src->addr;
	if (chain_at(th, src) == before || th->run.start <= th->at || th->run.start > src->addr)
		return src->addr;
	return th->run.start;
}

void inlining_redraw(struct thread *th, int64_t t, const struct frame *frame)
{
	uint32_t path[INLINED_MAX], n = 0, chain = frame->inlined;

	for (; chain; chain = inlines_function(th->shared->inlines, chain)->around)
		path[n++] = chain;
	while (n) {
		struct frame span = span_of(th, frame, path[--n]);

		if (!span.hidden)
			spread_redraw(&th->spread, t, &span);
	}
}

void inlining_end_at(struct thread *th, const struct frame *frame)
{
	uint32_t chain = frame->inlined;

	for (; chain; chain = inlines_function(th->shared->inlines, chain)->around) {
		struct frame span = span_of(th, frame, chain);

		if (!span.hidden)
			spread_end_at(&th->spread, th->lost_time, &span, th->lost_group);
	}
}
