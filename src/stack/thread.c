/* SPDX-License-Identifier: MIT */
#include "stack/thread.h"

#include "base/intern.h"
#include "stack/inlining.h"
#include "stack/loss.h"

/* Whether addr lies in the kernel's half of the address space. */
static bool is_kernel(uint64_t addr)
{
	return addr >> 63;
}

void thread_init(struct thread *th, struct shared *shared, int32_t pid, int32_t tid)
{
	*th = (struct thread){ .shared = shared, .pid = pid, .tid = tid };
	callstack_init(&th->stack, 0);
	fibers_init(&th->fibers);
	runs_init(&th->runs);
	ahead_init(&th->ahead);
	spread_init(&th->spread, &shared->outlet, shared->config.pool);
	spool_init(&th->queue, shared->config.pool, sizeof(struct event));
}

void thread_fini(struct thread *th)
{
	callstack_fini(&th->stack);
	fibers_fini(&th->fibers);
	runs_fini(&th->runs);
	ahead_fini(&th->ahead);
	spread_fini(&th->spread);
	spool_fini(&th->queue);
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A new part of the trace, of which nothing is known, begins at t. */
static void begin_part(struct thread *th, int64_t t)
{
	th->last_error_time = t;
	th->lost_due = false;
	th->cut = 0;
	callstack_reset(&th->stack, t);
	fibers_clear(&th->fibers);
	th->at = 0;
	spread_part(&th->spread, t);
	spread_open(&th->spread, t);
}

void thread_start(struct thread *th, int64_t t)
{
	th->started = true;
	th->last_event_time = t;
	th->shared->stats.threads++;
	begin_part(th, t);
}

/* Whether nothing that happened is later than t, and nothing at t must come before it. */
static bool in_order(struct thread *th, int64_t t)
{
	return (t >= th->last_event_time) & (t > th->last_error_time) & (t >= th->floor) &
	       (t >= th->spread.time) & (t >= callstack_level(&th->stack)->created);
}

int64_t thread_time(struct thread *th, int64_t t)
{
	int64_t own = t;

	if (in_order(th, t) && t >= 0) {
		th->last_event_time = t;
		return t;
	}
	if (own < th->last_event_time || own < 0)
		th->shared->stats.clamped++;
	/* An event at the very time of an error (or of the first event) must come behind it. */
	if (t == th->last_error_time && t != 0)
		t++;
	t = max(max(t, 0), max(th->last_event_time, th->last_error_time));
	t = max(t, th->floor);
	/* The stack may have been created at a time that was moved behind an error's. */
	t = max(t, callstack_level(&th->stack)->created);
	if (th->spread.spans || th->spread.by_work)
		t = max(t, th->spread.time);
	th->last_event_time = max(max(own, 0), th->last_event_time);
	return t;
}

uint32_t thread_track(struct thread *th)
{
	struct outlet *out = &th->shared->outlet;

	if (!th->has_track) {
		struct track_key key = { .kind = TRACK_THREAD, .pid = th->pid, .tid = th->tid };

		th->spread.track = out->sink.track(out->sink.ctx, &key);
		th->has_track = true;
	}
	return th->spread.track;
}

struct spread *thread_spread(struct thread *th)
{
	if (!th->has_track && !th->shared->outlet.muted)
		thread_track(th);
	return &th->spread;
}

static void give_up_stack(struct thread *th, int64_t t)
{
	th->shared->stats.overflowed++;
	thread_end(th, t);
}

/*
 * The most frames that are shown when a call is made. Frames found later to enclose what is there
 * need some room as well: one in forty.
 */
static uint32_t most_shown(const struct thread *th)
{
	uint32_t most = th->shared->config.max_depth;

	return most ? most - most / 40 : UINT32_MAX;
}

bool thread_too_deep(const struct thread *th)
{
	return th->stack.shown >= most_shown(th);
}

void thread_draw_inlined(struct thread *th, int64_t t, uint32_t chain)
{
	struct inlining in = {
		.inlines = th->shared->inlines,
		.stack = &th->stack,
		.spread = thread_spread(th),
		.stats = &th->shared->stats,
		.cut = &th->cut,
		.most = most_shown(th),
	};

	inlining_set(&in, t, chain);
}

void thread_enter(struct thread *th, int64_t t, struct frame *frame)
{
	struct callstack *cs = &th->stack;
	uint32_t inlined = frame->inlined;
	struct level *level;

	if (callstack_full(cs))
		give_up_stack(th, t);
	th->shared->stats.calls++;
	frame->hidden = thread_too_deep(th);
	frame->inlined = 0;
	frame->inlined_shown = 0;
	frame->inferred = false;
	callstack_push(cs, frame);
	level = callstack_level(cs);
	if (frame->hidden) {
		th->cut++;
		th->shared->stats.hidden++;
	} else if (level->max_shown < cs->shown) {
		level->max_shown = cs->shown;
	}
	spread_begin(thread_spread(th), t, frame);
	if (inlined)
		thread_set_inlined(th, t, inlined);
}

void thread_call(struct thread *th, int64_t t, const struct location *dst, uint64_t from)
{
	struct frame frame = frame_of(dst, from);

	thread_enter(th, t, &frame);
}

void thread_call_synthetic(struct thread *th, int64_t t, uint32_t name, enum frame_kind kind,
			   uint64_t from)
{
	struct frame frame = { .sym = name, .kind = kind, .from = from };

	thread_enter(th, t, &frame);
}

/*
 * Room on the track for one more span around all that the level had since it was created: true, and
 * counted.
 */
static bool room_around(struct thread *th)
{
	struct level *level = callstack_level(&th->stack);
	uint32_t most = th->shared->config.max_depth;

	if (most && level->max_shown >= most) {
		th->shared->stats.hidden++;
		return false;
	}
	level->max_shown++;
	return true;
}

void thread_infer(struct thread *th, int64_t t, const struct location *dst)
{
	struct frame frame = frame_of(dst, 0);

	if (callstack_full(&th->stack))
		give_up_stack(th, t);
	th->shared->stats.calls++;
	frame.hidden = !room_around(th);
	frame.inferred = true;
	callstack_push(&th->stack, &frame);
	spread_infer(thread_spread(th), callstack_level(&th->stack)->created, &frame);
}

static void leave_unknown(struct thread *th, int64_t t)
{
	struct level *level = callstack_level(&th->stack);
	bool hidden = !room_around(th);

	if (th->lost)
		runs_clear(&th->runs);

	th->shared->stats.calls++;
	spread_unknown(thread_spread(th), t, level->created, th->shared->known.unknown, level->used,
		       hidden);
	level->used = true;
}

uint32_t thread_pop(struct thread *th, int64_t t)
{
	struct frame frame;
	uint64_t below = 0;

	if (!callstack_depth(&th->stack)) {
		leave_unknown(th, t);
		return INTERN_NONE;
	}
	thread_set_inlined(th, t, 0);
	frame = callstack_pop(&th->stack);
	/* A copy is not written, but times are given as if it was left. */
	frame.hidden |= frame.copy;
	if (!frame.hidden) {
		below = th->cut;
		th->cut = 0;
	}
	spread_end(thread_spread(th), t, &frame, below);
	if (!frame.copy)
		callstack_level(&th->stack)->used = true;
	return frame.sym;
}

void thread_clear(struct thread *th, int64_t t)
{
	while (callstack_depth(&th->stack))
		thread_pop(th, t);
}

void thread_park(struct thread *th, int64_t t, uint64_t addr)
{
	struct callstack *cs = &th->stack;
	struct level below, *level;

	if (callstack_full(cs))
		give_up_stack(th, t);
	below = *callstack_level(cs);
	callstack_park(cs, t);
	if (is_kernel(addr) || cs->n || below.replaced || (cs->n_levels > 2 && !below.bare)) {
		spread_open(&th->spread, t);
		return;
	}
	level = callstack_level(cs);
	level->created = level->base_time = below.created;
	level->max_shown = below.max_shown;
	level->used = below.used || below.used_before;
	level->bare = true;
}

/* A stack that took the place of another is gone. */
static void close_replaced(struct thread *th)
{
	struct level *level = callstack_level(&th->stack);

	for (; level->replaced; level->replaced--)
		spread_close(&th->spread);
}

bool thread_unpark(struct thread *th)
{
	if (th->stack.n_levels == 1 || (th->lost && th->stack.n_levels == 2))
		return false;
	close_replaced(th);
	if (!callstack_level(&th->stack)->bare)
		spread_close(&th->spread);
	return callstack_unpark(&th->stack);
}

void thread_new_stack(struct thread *th, uint64_t addr, int64_t t)
{
	struct level *level = callstack_level(&th->stack);

	close_replaced(th);
	level->used_before |= level->used;
	if (!is_kernel(addr)) {
		level->created = level->base_time;
		level->used = level->used_before;
		return;
	}
	level->created = t;
	level->used = false;
	level->replaced = 1;
	spread_open(&th->spread, t);
}

void thread_end(struct thread *th, int64_t t)
{
	if (th->lost)
		loss_settle(th);
	t = max(callstack_newest(&th->stack), max(t, th->spread.time));
	hold_divert(&th->spread.hold);
	spread_flush(&th->spread, t);
	spread_part(&th->spread, t);
	do {
		thread_clear(th, t);
	} while (thread_unpark(th));
	close_replaced(th);
	spread_flush(&th->spread, t);
	hold_finish(&th->spread.hold);
	begin_part(th, t);
}

void thread_new_file(struct thread *th, int64_t t, bool first)
{
	int64_t before = th->last_error_time;

	t = max(t, before);
	th->last_event_time = t;
	spread_reset(&th->spread, t);
	begin_part(th, t);
	if (first) {
		/* What came before is of the same recording: this is no new beginning. */
		th->last_error_time = before;
		callstack_level(&th->stack)->base_time = before;
	}
}
