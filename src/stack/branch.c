/* SPDX-License-Identifier: MIT */
#include "stack/branch.h"

#include "stack/ocaml.h"

/* Counts a branch that the scope should not hold; its rule is applied all the same. */
static void expect(struct thread *th, bool fits)
{
	if (!fits)
		th->shared->stats.out_of_scope++;
}

static enum trace_scope scope_of(const struct thread *th)
{
	return th->shared->config.scope;
}

/* Control is at dst by a jump or a return: in a handler, or in the function on top. */
static void land(struct thread *th, int64_t t, const struct location *dst, bool jumped)
{
	if (!ocaml_enter_handler(th, t, dst->addr))
		thread_check(th, t, dst, jumped);
}

/* Tracing goes on at dst. What ran in between was drawn as a frame of our own, which is left. */
static void trace_start(struct thread *th, int64_t t, const struct location *dst)
{
	if (scope_of(th) == SCOPE_KERNEL) {
		thread_clear(th, t);
		thread_new_stack(th, dst->addr, t);
	} else if (!callstack_depth(&th->stack)) {
		thread_call(th, t, dst, 0);
	} else {
		ocaml_return(th, t);
	}
}

/* Tracing stops at src: by a branch of the given kind to where we do not see. */
static void trace_end(struct thread *th, int64_t t, const struct event *ev)
{
	const struct known *known = &th->shared->known;
	uint64_t from = ev->branch.src.addr;

	switch (ev->branch.kind) {
	case BRANCH_CALL: thread_call(th, t, &ev->branch.dst, from); break;
	case BRANCH_SYSCALL:
	case BRANCH_VMENTRY:
		expect(th, scope_of(th) == SCOPE_USER);
		thread_call_synthetic(th, t, known->syscall, from);
		break;
	case BRANCH_RETURN: thread_call_synthetic(th, t, known->returned, from); break;
	case BRANCH_IRET:
	case BRANCH_SYSRET:
	case BRANCH_VMEXIT:
		expect(th, scope_of(th) == SCOPE_KERNEL);
		thread_clear(th, t);
		thread_call_synthetic(th, t, known->untraced, from);
		break;
	default: thread_call_synthetic(th, t, known->untraced, from); break;
	}
}

/* A system call or an interrupt: the interrupted stack waits below. */
static void interrupt(struct thread *th, int64_t t, const struct event *ev)
{
	thread_park(th, t, ev->branch.dst.addr);
	thread_call(th, t, &ev->branch.dst, ev->branch.src.addr);
}

/* Back from a system call or an interrupt, perhaps of one whose beginning was not seen. */
static void resume(struct thread *th, int64_t t, const struct event *ev)
{
	const struct location *dst = &ev->branch.dst;

	thread_clear(th, t);
	if (thread_unpark(th))
		return;
	thread_new_stack(th, dst->addr, t);
	thread_check(th, t, dst, false);
}

static void traced_branch(struct thread *th, int64_t t, const struct event *ev)
{
	const struct location *dst = &ev->branch.dst;

	switch (ev->branch.kind) {
	case BRANCH_CALL: thread_call(th, t, dst, ev->branch.src.addr); break;
	case BRANCH_RETURN:
		ocaml_return(th, t);
		land(th, t, dst, false);
		break;
	case BRANCH_JMP:
	case BRANCH_JCC:
	case BRANCH_INT: land(th, t, dst, true); break;
	case BRANCH_TX_ABRT: thread_check(th, t, dst, false); break;
	case BRANCH_SYSCALL:
	case BRANCH_VMENTRY:
		expect(th, scope_of(th) == SCOPE_USER_AND_KERNEL);
		interrupt(th, t, ev);
		break;
	case BRANCH_ASYNC:
		/* Without a target it says nothing that could be drawn. */
		if (dst->addr == 0)
			break;
		/* fallthrough */
	case BRANCH_HW_INT:
		expect(th, scope_of(th) != SCOPE_USER);
		interrupt(th, t, ev);
		break;
	case BRANCH_IRET:
	case BRANCH_SYSRET:
	case BRANCH_VMEXIT: resume(th, t, ev); break;
	default: break;
	}
}

void branch_apply(struct thread *th, int64_t t, const struct event *ev)
{
	ocaml_follow(th, t, ev->branch.src.addr, ev->branch.dst.addr);
	switch (ev->branch.state) {
	case TRACE_START: trace_start(th, t, &ev->branch.dst); break;
	case TRACE_END: trace_end(th, t, ev); break;
	default: traced_branch(th, t, ev); break;
	}
}
