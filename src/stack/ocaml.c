/* SPDX-License-Identifier: MIT */
#include "stack/ocaml.h"

#include "base/intern.h"

/* The first index whose address is not below addr. */
static size_t lower_bound(const uint64_t *list, size_t n, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (list[mid] < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The code under the handler runs on a stack of its own, on top of the function that has it. */
static void push_trap(struct thread *th, int64_t t)
{
	const struct frame *top = callstack_top(&th->stack);
	struct frame copy;

	if (top)
		copy = *top;
	thread_park(th, t, UINT64_MAX); /* created now, as a kernel stack is */
	if (!top)
		return;
	copy.copy = true;
	copy.inlined = 0;
	copy.inlined_shown = 0;
	callstack_push(&th->stack, &copy);
}

static void pop_trap(struct thread *th, int64_t t)
{
	thread_clear(th, t);
	if (!thread_unpark(th))
		thread_new_stack(th, UINT64_MAX, t); /* created now, as a kernel stack is */
}

/* Whether the current stack is that of code under a handler that was seen put there. */
static bool under_handler(const struct thread *th)
{
	return callstack_depth(&th->stack) && callstack_frame(&th->stack, 0)->copy;
}

static void leave_trap(struct thread *th, int64_t t)
{
	if (callstack_depth(&th->stack) != 1 || !under_handler(th)) {
		th->shared->stats.bad_poptraps++;
		return;
	}
	callstack_remove_outermost(&th->stack);
	pop_trap(th, t);
}

static void follow(struct thread *th, int64_t t, uint64_t from, uint64_t to)
{
	const struct ocaml_traps *traps = th->shared->config.traps;
	size_t i = lower_bound(traps->push, traps->n_push, from);
	size_t k = lower_bound(traps->pop, traps->n_pop, from);

	for (;;) {
		bool push = i < traps->n_push && traps->push[i] <= to;
		bool pop = k < traps->n_pop && traps->pop[k] <= to;

		if (push && (!pop || traps->push[i] <= traps->pop[k])) {
			push_trap(th, t);
			i++;
		} else if (pop) {
			leave_trap(th, t);
			k++;
		} else {
			return;
		}
	}
}

void ocaml_follow(struct thread *th, int64_t t, uint64_t src, uint64_t dst)
{
	if (th->has_previous_dst)
		follow(th, t, th->previous_dst, src);
	th->previous_dst = dst;
	th->has_previous_dst = true;
}

void ocaml_forget(struct thread *th)
{
	th->has_previous_dst = false;
}

bool ocaml_enter_handler(struct thread *th, int64_t t, uint64_t dst)
{
	const struct ocaml_traps *traps = th->shared->config.traps;
	size_t i;

	i = lower_bound(traps->enter, traps->n_enter, dst);
	if (i == traps->n_enter || traps->enter[i] != dst)
		return false;
	if (!callstack_depth(&th->stack)) {
		pop_trap(th, t);
		return true;
	}
	if (!under_handler(th)) {
		/* Put there before the trace began: by the outermost frame, as far as we know. */
		while (callstack_depth(&th->stack) > 1)
			thread_pop(th, t);
		return false;
	}
	callstack_remove_outermost(&th->stack);
	pop_trap(th, t);
	return true;
}

void ocaml_return(struct thread *th, int64_t t)
{
	const struct known *known = &th->shared->known;
	const struct frame *top = callstack_top(&th->stack);
	uint32_t frames = 0;

	if (top && !th->shared->config.traps) {
		if (top->sym == known->next_frame_descriptor ||
		    top->sym == known->stash_backtrace) {
			th->raises++;
		} else if (top->sym == known->raise_exn) {
			frames = th->raises ? th->raises - 1 : 0;
			th->raises = 0;
		} else if (top->sym == known->raise_exception) {
			frames = th->raises + 2;
			th->raises = 0;
		}
	}
	while (frames--)
		thread_pop(th, t);
	thread_pop(th, t);
}
