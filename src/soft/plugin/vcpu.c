/* SPDX-License-Identifier: MIT */
#include "soft/plugin/vcpu.h"

#include "soft/recflow.h"

static const struct insn no_branch = { .kind = INSN_OTHER };

static void tell_whole(struct vcpu *v, const struct block *b, uint64_t to)
{
	recorder_executed(v->thread, b->start, b->n, b->last, b->insn, to);
}

/* Only its first n instructions were executed. */
static void tell_part(struct vcpu *v, const struct block *b, uint32_t n)
{
	recorder_executed(v->thread, b->start, n, b->start, no_branch, block_address(b, n));
}

/* A signal came, and nobody knows when: the last instruction is where it is sure to be seen. */
static void interrupted_somewhere(struct vcpu *v, const struct block *b)
{
	if (b->insn.kind == INSN_INT3 || b->insn.kind == INSN_INT) {
		tell_whole(v, b, b->next);
		return;
	}
	tell_part(v, b, b->n - 1);
	recorder_interrupted(v->thread, b->last);
}

/* A signal came, and this was the next instruction. */
static void interrupted_at(struct vcpu *v, const struct block *b, const struct sigframe *frame)
{
	enum block_end end = block_end(b, frame->ip);
	uint32_t index = 0;
	bool in_it = block_index(b, frame->ip, &index);

	if (in_it && (frame->fault || end == BLOCK_BROKEN)) {
		tell_part(v, b, index);
	} else if (end == BLOCK_BUT_LAST) {
		tell_part(v, b, b->n - 1);
	} else if (end == BLOCK_BROKEN) {
		interrupted_somewhere(v, b);
		return;
	} else {
		tell_whole(v, b, frame->ip);
	}
	recorder_interrupted(v->thread, frame->ip);
}

/* Tells what has waited for `held`. */
static void tell_queue(struct vcpu *v)
{
	for (uint32_t i = 0; i < v->n_queue; i++) {
		const struct block *next = i + 1 < v->n_queue ? v->queue[i + 1] : v->block;

		tell_whole(v, v->queue[i], next->start);
	}
	v->n_queue = 0;
}

static void settle_unseen(struct vcpu *v)
{
	const struct block *held = v->held;

	v->held = NULL;
	interrupted_somewhere(v, held);
	tell_queue(v);
}

void vcpu_stack(struct vcpu *v, uint64_t base, uint64_t sp)
{
	const struct block *held = v->held, *handler;
	struct sigframe frame;

	if (!held || !v->block)
		return;
	v->held = NULL;
	handler = v->n_queue ? v->queue[0] : v->block;
	if (sigframe_read(base, sp, &frame))
		interrupted_at(v, held, &frame);
	else if (block_end(held, handler->start) == BLOCK_PERHAPS)
		tell_whole(v, held, handler->start); /* the program has called it itself */
	else
		interrupted_somewhere(v, held);
	tell_queue(v);
}

/* Whether the handler goes on, and the stack may still show what came before. */
static bool is_open(const struct vcpu *v, const struct block *b)
{
	return v->block && v->block->watched && !v->block->uses_stack && b->watched &&
	       v->n_queue < VCPU_QUEUE && block_end(v->block, b->start) == BLOCK_WHOLE;
}

/* Tells a block by what follows it. */
static void tell(struct vcpu *v, const struct block *b, uint64_t to)
{
	switch (block_end(b, to)) {
	case BLOCK_PERHAPS:
		if (sigframe_is_handler(v->handlers, to)) {
			v->held = b;
			return;
		}
		/* fall through */
	case BLOCK_WHOLE: tell_whole(v, b, to); return;
	case BLOCK_BUT_LAST: tell_part(v, b, b->n - 1); return;
	case BLOCK_BROKEN: v->held = b; return;
	}
}

/* As vcpu_block, while one is held. */
static void block_behind_held(struct vcpu *v, const struct block *b)
{
	if (is_open(v, b)) {
		v->queue[v->n_queue++] = v->block;
		v->block = b;
		return;
	}
	settle_unseen(v);
	vcpu_block(v, b);
}

void vcpu_block(struct vcpu *v, const struct block *b)
{
	if (__builtin_expect(v->held != NULL, false)) {
		block_behind_held(v, b);
		return;
	}
	if (v->block)
		tell(v, v->block, b->start);
	v->block = b;
}

void vcpu_middle(struct vcpu *v, uint32_t index, const struct block *rest)
{
	if (v->held)
		settle_unseen(v);
	if (!v->block || index == 0)
		return;
	tell_part(v, v->block, index);
	v->block = rest;
}

void vcpu_syscall(struct vcpu *v)
{
	if (v->held)
		settle_unseen(v);
	if (!v->block)
		return;
	if (v->block->insn.kind == INSN_SYSCALL)
		tell_whole(v, v->block, v->block->next);
	else
		interrupted_somewhere(v, v->block); /* a call of the vsyscall page */
	v->block = NULL;
}

void vcpu_stop(struct vcpu *v)
{
	if (v->held)
		settle_unseen(v);
	if (v->block)
		tell_part(v, v->block, v->block->n - 1);
	v->block = NULL;
}
