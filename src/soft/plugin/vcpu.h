/* SPDX-License-Identifier: MIT */
/*
 * vcpu: a thread of the program: the blocks that it executes, told to the recorder. A block is
 * told when the next one begins, which says where it went.
 */
#ifndef MT_SOFT_PLUGIN_VCPU_H
#define MT_SOFT_PLUGIN_VCPU_H

#include "soft/plugin/block.h"
#include "soft/plugin/sigframe.h"
#include "soft/recthread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* So many blocks of a handler are looked at for the stack. */
#define VCPU_QUEUE 16

struct vcpu {
	struct vcpu *next;                  /* of all that there have been */
	struct recorder_thread *thread;     /* NULL: it runs unrecorded */
	struct sigframe_handlers *handlers; /* of its process */
	pid_t tid;
	atomic_bool inside; /* the gate */
	bool ended;
	const struct block *block; /* begun, and not told; NULL: the kernel has it */
	/*
	 * One before, when a signal may have come behind it; NULL: there is none. It is told when
	 * the stack has shown that, or cannot any more, and then those that wait: what was
	 * executed between it and `block`.
	 */
	const struct block *held;
	const struct block *queue[VCPU_QUEUE];
	uint32_t n_queue;
	uint64_t clone_flags; /* of clone(2), when that was its last system call */
};

/* A block begins. */
void vcpu_block(struct vcpu *v, const struct block *b);

/* It has reached an instruction in the middle of its block, from where on it is `rest`. */
void vcpu_middle(struct vcpu *v, uint32_t index, const struct block *rest);

/* The handler that it may be in begins with the stack pointer at sp; base: as guest_read. */
void vcpu_stack(struct vcpu *v, uint64_t base, uint64_t sp);

/* A system call begins. */
void vcpu_syscall(struct vcpu *v);

/* Nothing more will be told: what is known is told now. */
void vcpu_stop(struct vcpu *v);

#endif
