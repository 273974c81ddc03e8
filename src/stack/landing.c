/* SPDX-License-Identifier: MIT */
#include "stack/landing.h"

#include "base/intern.h"
#include "stack/expect.h"
#include "stack/go.h"
#include "stack/loss.h"
#include "stack/ocaml.h"
#include "stack/switching.h"

static bool by_reference(const struct thread *th)
{
	return th->shared->config.reference;
}

/*
 * The top frame becomes dst's function, which returns to where the frame would have. returned: by a
 * return from it.
 */
static void replace(struct thread *th, int64_t t, const struct location *dst, bool returned)
{
	struct frame old = *callstack_top(&th->stack);
	struct frame frame = frame_of(dst, old.from);

	/* A handler that returns is followed by what asks the kernel to go back. */
	if (returned && old.kind == FRAME_SIGNAL)
		old.kind = FRAME_SIGRETURN;
	if (frame_synthetic(&old) || old.sym == th->shared->known.gogo) {
		frame.from = 0;
	} else {
		frame.kind = old.kind;
		frame.was = old.start;
	}
	go_leave(th, t);
	thread_enter(th, t, &frame);
}

static void become(struct thread *th, int64_t t, const struct location *dst)
{
	replace(th, t, dst, false);
}

void landing_check(struct thread *th, int64_t t, const struct location *dst)
{
	const struct frame *top = callstack_top(&th->stack);

	if (top) {
		if (!frame_same_symbol(top, dst))
			become(th, t, dst);
	} else if (th->lost) {
		loss_find(th, t, dst, true);
	} else {
		thread_infer(th, t, dst);
	}
}

void landing_arrive(struct thread *th, int64_t t, const struct location *dst)
{
	if (!ocaml_traps_known(th) || !ocaml_enter_handler(th, t, dst->addr))
		landing_check(th, t, dst);
}

/*
 * As expect_holder, where what unwinds the stack leads to: not to a function that had cleaned up
 * and let it go on (_Unwind_Resume), but further down, where there is one.
 */
static uint32_t unwound(const struct thread *th, uint32_t n, const struct location *dst)
{
	const struct callstack *cs = &th->stack;
	uint32_t k = expect_holder(cs, n, dst), below = 0;

	if (k && k < callstack_depth(cs) &&
	    known_resumes(&th->shared->known, callstack_frame(cs, k)->sym))
		below = expect_holder(cs, k - 1, dst);
	return below ? below : k;
}

bool landing_far(struct thread *th, int64_t t, const struct location *dst, uint32_t n)
{
	const struct frame *top = callstack_top(&th->stack);
	struct fiber *fiber = NULL;
	uint32_t k;

	if (dst->off || dst->sym == INTERN_NONE)
		fiber = fibers_find(&th->fibers, dst->addr);
	if (switching_go_on(th, t, fibers_take(&th->fibers, fiber))) {
		landing_arrive(th, t, dst);
		return true;
	}
	k = unwound(th, n, dst);
	if (k) {
		switching_leave(th, t, k);
		return true;
	}
	if (switching_go_on(th, t, fibers_take_within(&th->fibers, dst)))
		return true;
	if (!known_unwinder(&th->shared->known, top->sym))
		return false;
	if (callstack_frame(&th->stack, 0)->sym == th->shared->known.start) {
		/* No frame was there before the program began: this is another stack. */
		switching_enter(th, t, dst);
		return true;
	}
	/* To a frame that was there before the trace began, or before data was lost. */
	thread_clear(th, t);
	if (th->lost)
		loss_unwind(th, t, dst);
	else
		thread_infer(th, t, dst);
	return true;
}

/*
 * Whether dst is in the function that the top frame was before a jump: the part of a function that
 * lies elsewhere jumps back, and what was called with a return address of its caller's making
 * returns.
 */
static bool goes_back(const struct frame *top, const struct location *dst)
{
	return dst->off && top->was && top->was == dst->addr - dst->off;
}

/*
 * As expect_nearest; 0 also for what leaves frames without returning from them, for the place where
 * an exception is caught is often close behind a call.
 */
static uint32_t returned_from(const struct thread *th, uint32_t n, const struct location *dst)
{
	const struct callstack *cs = &th->stack;
	uint32_t top = callstack_frame(cs, callstack_depth(cs) - 1)->sym;

	return known_unwinder(&th->shared->known, top) ? 0 : expect_nearest(cs, n, dst);
}

/* A return that does not go back to where the top frame was called. */
static void stray_return(struct thread *th, int64_t t, const struct location *dst)
{
	struct callstack *cs = &th->stack;
	const struct frame *top;
	uint32_t n, k;

	/* On what was found, not out of it: what was there before may be where it leads to. */
	if (th->lost && callstack_depth(cs) > 1 &&
	    !known_unwinder(&th->shared->known, callstack_top(cs)->sym))
		loss_settle_found(th);
	top = callstack_top(cs);
	n = callstack_depth(cs);
	if (!top->from && n > 1 && frame_same_symbol(callstack_frame(cs, n - 2), dst)) {
		thread_pop(th, t);
		return;
	}
	k = returned_from(th, n - 1, dst);
	if (k) {
		switching_leave(th, t, k - 1);
		landing_arrive(th, t, dst);
	} else if (top->kind == FRAME_SIGNAL || top->kind == FRAME_SIGRETURN) {
		replace(th, t, dst, true);
	} else if (!goes_back(top, dst) && landing_far(th, t, dst, top->from ? n : n - 1)) {
		return;
	} else if (goes_back(top, dst) || top->kind == FRAME_BASE) {
		become(th, t, dst);
	} else if (!top->from || top->kind == FRAME_INTERRUPT) {
		/* Not seen called: this may be where it was. */
		ocaml_return(th, t);
		landing_arrive(th, t, dst);
	} else if (expect_within(cs)) {
		thread_pop(th, t);
		become(th, t, dst);
	} else {
		switching_enter(th, t, dst);
	}
}

/* Whether the landing was in doubt, and its path has been found. */
static bool has_path(const struct thread *th)
{
	return th->path.way != AHEAD_NONE;
}

static void follow_path(struct thread *th, int64_t t, const struct location *dst)
{
	struct fibers *fibers = &th->fibers;
	uint32_t i = th->path.index;

	switch (th->path.way) {
	case AHEAD_NEW: switching_enter(th, t, dst); return;
	case AHEAD_JUMP: become(th, t, dst); return;
	case AHEAD_TOP: thread_pop(th, t); break;
	case AHEAD_LOWER: switching_leave(th, t, i); break;
	case AHEAD_FIBER: switching_go_on(th, t, fibers_take(fibers, &fibers->list[i])); break;
	default: return;
	}
	landing_arrive(th, t, dst);
}

void landing_return(struct thread *th, int64_t t, const struct location *dst)
{
	const struct frame *top;

	if (has_path(th)) {
		follow_path(th, t, dst);
		return;
	}
	/* OCaml raises by a return. */
	if (ocaml_traps_known(th) && !by_reference(th) && ocaml_enter_handler(th, t, dst->addr))
		return;
	top = callstack_top(&th->stack);
	if (!top || by_reference(th)) {
		ocaml_return(th, t);
	} else if (!expect_back(top, dst)) {
		stray_return(th, t, dst);
		return;
	} else if (!th->shared->n_switchers || !switching_known(th, top) ||
		   !switching_back(th, t, dst->addr)) {
		thread_pop(th, t);
	}
	landing_arrive(th, t, dst);
}

/*
 * Whether a jump stays in one function, as far as can be told: where there are no symbols, in code
 * of one file, all jumps look alike.
 */
static bool stays(const struct frame *top, const struct location *dst)
{
	if (dst->sym == INTERN_NONE)
		return top->sym == INTERN_NONE && top->dso == dst->dso;
	return goes_back(top, dst);
}

/* A jump to another function. False: nothing happened. */
static bool jump_far(struct thread *th, int64_t t, const struct location *dst)
{
	const struct frame *top = callstack_top(&th->stack);
	uint32_t n = callstack_depth(&th->stack), k;

	if (stays(top, dst))
		return false;
	if (dst->off == 0 && dst->sym != INTERN_NONE) {
		/* A tail call, unless the function is one that switches stacks. */
		if (!th->shared->n_switchers || !switching_known(th, top))
			return false;
		switching_enter(th, t, dst);
		return true;
	}
	k = returned_from(th, n, dst);
	if (!k)
		return landing_far(th, t, dst, n);
	switching_leave(th, t, k - 1);
	landing_arrive(th, t, dst);
	return true;
}

/* Bytes of a slot of the PLT. */
#define PLT_SLOT 16

/*
 * Whether a jump goes to a function that only has the name of the one on top: libc's
 * _Unwind_ForcedUnwind goes on as that of libgcc. A slot of the PLT that has its function's name is
 * no other function.
 */
static bool to_namesake(const struct thread *th, const struct frame *top, uint64_t src,
			const struct location *dst)
{
	return !dst->off && top->dso != dst->dso && src - top->addr >= PLT_SLOT &&
	       !by_reference(th);
}

void landing_jump(struct thread *th, int64_t t, uint64_t src, const struct location *dst, bool far)
{
	const struct frame *top;

	if (ocaml_traps_known(th) && ocaml_enter_handler(th, t, dst->addr))
		return;
	top = callstack_top(&th->stack);
	if (!top)
		thread_infer(th, t, dst);
	else if (has_path(th))
		follow_path(th, t, dst);
	else if (frame_same_symbol(top, dst) && !to_namesake(th, top, src, dst))
		return;
	else if (!far || by_reference(th) || !jump_far(th, t, dst))
		become(th, t, dst);
}
