/* SPDX-License-Identifier: MIT */
#include "stack/resume.h"

#include "base/intern.h"
#include "stack/expect.h"
#include "stack/landing.h"
#include "stack/loss.h"
#include "stack/ocaml.h"
#include "stack/switching.h"

/* Control is at the first instruction of a program: an exec left all that was there. */
static void begin_program(struct thread *th, int64_t t, const struct location *dst)
{
	thread_clear(th, t);
	fibers_clear(&th->fibers);
	thread_call(th, t, dst, 0);
}

/* Whether dst is where a program begins, and not a signal's handler. */
static bool is_program(struct thread *th, const struct location *dst)
{
	const struct known *known = &th->shared->known;
	const struct frame *top = callstack_top(&th->stack);

	return dst->sym == known->start ||
	       (top && (top->sym == known->execve || top->sym == known->execveat));
}

/* A signal's handler begins at dst; it interrupted what was at from. */
static void begin_handler(struct thread *th, int64_t t, const struct location *dst, uint64_t from)
{
	struct frame frame = frame_of(dst, from);

	frame.kind = FRAME_SIGNAL;
	thread_enter(th, t, &frame);
}

/* What was stopped at from goes on at dst, which is elsewhere. */
static void displaced(struct thread *th, int64_t t, const struct location *dst, uint64_t from)
{
	struct callstack *cs = &th->stack;
	uint32_t n = callstack_depth(cs), k = expect_nearest(cs, n, dst);

	/* What ends with a call of abort, say, is followed by another function: the handler. */
	if (k && dst->off == 0 && callstack_frame(cs, k - 1)->kind == FRAME_CALL)
		k = 0;
	if (k) {
		switching_leave(th, t, k - 1);
		landing_arrive(th, t, dst);
	} else if (dst->off == 0 && is_program(th, dst)) {
		begin_program(th, t, dst);
	} else if (dst->off == 0) {
		begin_handler(th, t, dst, from);
	} else if (!n || !landing_far(th, t, dst, n)) {
		landing_check(th, t, dst);
	}
}

/* Tracing stopped with a return, and goes on at dst. */
static void start_behind_return(struct thread *th, int64_t t, const struct location *dst)
{
	const struct frame *top = callstack_top(&th->stack);

	if (top && dst->off == 0 && dst->sym != INTERN_NONE) {
		thread_pop(th, t);
		thread_call(th, t, dst, 0);
	} else if (top && frame_expects(top, dst->addr)) {
		thread_pop(th, t);
		landing_arrive(th, t, dst);
	}
}

static void start(struct thread *th, int64_t t, const struct location *dst)
{
	struct frame stop = *callstack_top(&th->stack);

	if (!frame_synthetic(&stop)) {
		/* A call stopped tracing, or nothing did: it goes on where it is. */
		if (frame_expects(&stop, dst->addr) || !frame_same_symbol(&stop, dst))
			landing_return(th, t, dst);
		return;
	}
	thread_pop(th, t);
	if (th->lost && !callstack_depth(&th->stack) && stop.kind != FRAME_RETURNED && dst->off)
		loss_find(th, t, dst, true);
	else if (stop.kind == FRAME_RETURNED)
		start_behind_return(th, t, dst);
	else if (stop.from && !expect_back(&stop, dst))
		displaced(th, t, dst, stop.from);
}

void resume_start(struct thread *th, int64_t t, const struct location *dst)
{
	if (th->shared->config.scope == SCOPE_KERNEL) {
		thread_clear(th, t);
		thread_new_stack(th, dst->addr, t);
	} else if (!callstack_depth(&th->stack)) {
		if (th->lost && dst->off)
			loss_find(th, t, dst, false);
		else
			thread_call(th, t, dst, 0);
	} else if (th->shared->config.reference) {
		ocaml_return(th, t);
	} else {
		start(th, t, dst);
	}
}

/* Whether user code that the kernel was entered from by the frame goes on elsewhere, at dst. */
static bool resumes_elsewhere(const struct frame *entry, const struct location *dst)
{
	return entry->kind == FRAME_INTERRUPT && entry->from && !expect_back(entry, dst) &&
	       !(entry->from >> 63) && !(dst->addr >> 63);
}

void resume_interrupted(struct thread *th, int64_t t, const struct location *dst)
{
	struct frame entry = { .kind = FRAME_CALL };

	if (callstack_depth(&th->stack))
		entry = *callstack_frame(&th->stack, 0);
	thread_clear(th, t);
	if (!thread_unpark(th)) {
		thread_new_stack(th, dst->addr, t);
		landing_check(th, t, dst);
	} else if (!th->shared->config.reference && resumes_elsewhere(&entry, dst)) {
		displaced(th, t, dst, entry.from);
	}
}
