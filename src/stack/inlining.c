/* SPDX-License-Identifier: MIT */
#include "stack/inlining.h"

/* The span of the innermost function of a chain that is open in the frame. */
static struct frame span_of(const struct inlines *inlines, const struct frame *frame,
			    uint32_t chain)
{
	const struct inlines_function *function = inlines_function(inlines, chain);

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

static void open_span(const struct inlining *in, int64_t t, struct frame *frame, uint32_t chain)
{
	uint32_t depth = inlines_function(in->inlines, chain)->depth;
	struct callstack *cs = in->stack;
	struct level *level = callstack_level(cs);
	struct frame span;

	in->stats->inlined++;
	if (frame->hidden || cs->shown >= in->most || frame->inlined_shown + 1u != depth) {
		++*in->cut;
		in->stats->hidden++;
	} else {
		frame->inlined_shown++;
		cs->shown++;
		if (level->max_shown < cs->shown)
			level->max_shown = cs->shown;
	}
	frame->inlined = chain;
	span = span_of(in->inlines, frame, chain);
	spread_begin(in->spread, t, &span);
}

static void close_span(const struct inlining *in, int64_t t, struct frame *frame)
{
	struct frame span = span_of(in->inlines, frame, frame->inlined);
	uint64_t below = 0;

	if (!span.hidden) {
		below = *in->cut;
		*in->cut = 0;
		frame->inlined_shown--;
		in->stack->shown--;
	}
	spread_end(in->spread, t, &span, below);
	callstack_level(in->stack)->used = true;
	frame->inlined = inlines_function(in->inlines, frame->inlined)->around;
}

void inlining_set(const struct inlining *in, int64_t t, uint32_t chain)
{
	struct frame *frame = callstack_top(in->stack);
	uint32_t path[INLINED_MAX], n = 0, common;

	common = inlines_common(in->inlines, frame->inlined, chain);
	while (frame->inlined != common)
		close_span(in, t, frame);
	for (; chain != common; chain = inlines_function(in->inlines, chain)->around)
		path[n++] = chain;
	while (n)
		open_span(in, t, frame, path[--n]);
}

void inlining_redraw(const struct inlines *inlines, struct spread *sp, int64_t t,
		     const struct frame *frame)
{
	uint32_t path[INLINED_MAX], n = 0, chain = frame->inlined;

	for (; chain; chain = inlines_function(inlines, chain)->around)
		path[n++] = chain;
	while (n) {
		struct frame span = span_of(inlines, frame, path[--n]);

		if (!span.hidden)
			spread_redraw(sp, t, &span);
	}
}

void inlining_end_at(const struct inlines *inlines, struct spread *sp, int64_t t,
		     const struct frame *frame, uint32_t group)
{
	uint32_t chain = frame->inlined;

	for (; chain; chain = inlines_function(inlines, chain)->around) {
		struct frame span = span_of(inlines, frame, chain);

		if (!span.hidden)
			spread_end_at(sp, t, &span, group);
	}
}
