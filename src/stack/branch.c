/* SPDX-License-Identifier: MIT */
#include "stack/branch.h"

#include "base/intern.h"
#include "stack/landing.h"
#include "stack/loss.h"
#include "stack/ocaml.h"
#include "stack/resume.h"

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

/*
 * A system call of what a signal's handler returned to never comes back to it, but to what the
 * signal interrupted: then the frame is left, and that place returned; else from.
 */
static uint64_t leave_handler(struct thread *th, int64_t t, uint64_t from)
{
	const struct frame *top = callstack_top(&th->stack);

	if (!top || top->kind != FRAME_SIGRETURN)
		return from;
	from = top->from;
	thread_pop(th, t);
	return from;
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
		from = leave_handler(th, t, from);
		thread_call_synthetic(th, t, known->syscall, FRAME_SYSCALL, from);
		break;
	case BRANCH_RETURN:
		thread_call_synthetic(th, t, known->returned, FRAME_RETURNED, from);
		break;
	case BRANCH_IRET:
	case BRANCH_SYSRET:
	case BRANCH_VMEXIT:
		expect(th, scope_of(th) == SCOPE_KERNEL);
		thread_clear(th, t);
		thread_call_synthetic(th, t, known->untraced, FRAME_STOPPED, from);
		break;
	default: thread_call_synthetic(th, t, known->untraced, FRAME_STOPPED, from); break;
	}
}

/* A system call or an interrupt: the interrupted stack waits below. */
static void interrupt(struct thread *th, int64_t t, const struct event *ev)
{
	struct frame frame = frame_of(&ev->branch.dst, ev->branch.src.addr);

	frame.kind = FRAME_INTERRUPT;
	if (ev->branch.kind == BRANCH_SYSCALL)
		frame.from = leave_handler(th, t, frame.from);
	thread_park(th, t, ev->branch.dst.addr);
	thread_enter(th, t, &frame);
}

/*
 * A call of the very next instruction only asks for its own address, as code that can lie anywhere
 * does. Nothing returns from it.
 */
static bool calls_next(const struct location *src, const struct location *dst)
{
	return dst->off && dst->addr - src->addr == 5;
}

static void call(struct thread *th, int64_t t, const struct event *ev)
{
	if (th->shared->config.reference || !calls_next(&ev->branch.src, &ev->branch.dst))
		thread_call(th, t, &ev->branch.dst, ev->branch.src.addr);
}

static void traced_branch(struct thread *th, int64_t t, const struct event *ev)
{
	const struct location *dst = &ev->branch.dst;

	switch (ev->branch.kind) {
	case BRANCH_CALL: call(th, t, ev); break;
	case BRANCH_RETURN: landing_return(th, t, dst); break;
	case BRANCH_JMP: landing_jump(th, t, ev->branch.src.addr, dst, true); break;
	case BRANCH_JCC:
	case BRANCH_INT: landing_jump(th, t, ev->branch.src.addr, dst, false); break;
	case BRANCH_TX_ABRT: landing_check(th, t, dst); break;
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
	case BRANCH_VMEXIT: resume_interrupted(th, t, dst); break;
	default: break;
	}
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
static bool may_be_inlined(uint64_t addr)
{
	return addr && !(addr >> 63);
}

/* Not inlined: the stack protector, which this needs, would be paid for with each branch. */
static __attribute__((noinline)) void look_up(struct thread *th, const struct location *place)
{
	th->run = *inlines_at(th->shared->inlines, th->pid, place);
}

/* Whether control that comes to addr opens and closes nothing that is inlined; nearly always. */
static bool is_open(struct thread *th, uint64_t addr)
{
	const struct frame *top = callstack_top(&th->stack);

	return inlines_holds(&th->run, addr) && top && top->inlined == th->run.chain;
}

/* What was inlined at the place. */
static uint32_t chain_at(struct thread *th, const struct location *place)
{
	if (!inlines_holds(&th->run, place->addr))
		look_up(th, place);
	return th->run.chain;
}

/*
 * Control is at a place at t: when the frame on top is of that function, what was inlined there is
 * open from now on, and nothing else. Only where there are inlines.
 */
static void inlined_at(struct thread *th, int64_t t, const struct location *place)
{
	const struct frame *top = callstack_top(&th->stack);

	if (is_open(th, place->addr))
		return;
	if (may_be_inlined(place->addr) && top && is_in(top, place))
		thread_set_inlined(th, t, chain_at(th, place));
}

/*
 * Where control, going on from th->at without a branch, came to the inlined code that src is in;
 * src's address when it was there all along or that is not known. Only where there are inlines.
 */
static uint64_t inlined_border(struct thread *th, const struct location *src)
{
	uint32_t before = th->run.chain;

	if (inlines_holds(&th->run, src->addr))
		return src->addr;
	/* Not known: before the first branch, or elsewhere than where the last one led to. */
	if (!may_be_inlined(src->addr) || !inlines_holds(&th->run, th->at))
		return src->addr;
	if (chain_at(th, src) == before || th->run.start <= th->at || th->run.start > src->addr)
		return src->addr;
	return th->run.start;
}

/*
 * How much code ran from the branch before up to src, in instructions of four bytes. Where that is
 * not known, or cannot be without a branch, as much as the branch itself.
 */
static uint64_t work_before(const struct thread *th, uint64_t src)
{
	uint64_t bytes = src - th->at;

	return 1 + (th->at && bytes < 4096 ? bytes / 4 : 0);
}

/* Where what ran up to the branch came into inlined code on the way, that is told. */
static void tell_border(struct thread *th, int64_t t, const struct location *src)
{
	uint64_t border = inlined_border(th, src);

	if (border == src->addr)
		return;
	spread_branch(&th->spread, t, work_before(th, border));
	inlined_at(th, t, src);
	th->at = border;
}

/* The branch at t in the order of what shares its time. */
static void tell_time(struct thread *th, int64_t t, const struct event *ev)
{
	struct spread *sp = &th->spread;

	if (!sp->by_work)
		spread_by_work(sp);
	if (ev->branch.state == TRACE_START) {
		spread_start(sp, t);
	} else {
		if (th->shared->inlines)
			tell_border(th, t, &ev->branch.src);
		spread_branch(sp, t, work_before(th, ev->branch.src.addr));
	}
	th->at = ev->branch.dst.addr;
}

/* Behind a gap without a trace start, the branch itself says where control was. */
static void locate(struct thread *th, int64_t t, const struct event *ev)
{
	if (!callstack_depth(&th->stack) && ev->branch.state != TRACE_START && ev->branch.src.addr)
		loss_find(th, t, &ev->branch.src, false);
}

void branch_apply(struct thread *th, int64_t t, const struct event *ev)
{
	bool inlined = th->shared->inlines;

	if (!th->shared->config.reference_times)
		tell_time(th, t, ev);
	if (th->lost)
		locate(th, t, ev);
	if (inlined && ev->branch.state != TRACE_START)
		inlined_at(th, t, &ev->branch.src);
	if (ocaml_traps_known(th))
		ocaml_follow(th, t, ev->branch.src.addr, ev->branch.dst.addr);
	switch (ev->branch.state) {
	case TRACE_START: resume_start(th, t, &ev->branch.dst); break;
	case TRACE_END:
		trace_end(th, t, ev);
		spread_stop(&th->spread);
		break;
	default: traced_branch(th, t, ev); break;
	}
	if (inlined && ev->branch.state != TRACE_END)
		inlined_at(th, t, &ev->branch.dst);
}
