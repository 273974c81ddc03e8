/* SPDX-License-Identifier: MIT */
/*
 * gate: what the threads of the program pass whenever QEMU calls us. It is nearly free to pass;
 * who closes it knows that nobody is behind it, until it is opened again.
 */
#ifndef MT_SOFT_PLUGIN_GATE_H
#define MT_SOFT_PLUGIN_GATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum gate_state {
	GATE_OPEN,
	GATE_CLOSED,
	GATE_OVER, /* for ever: nobody passes any more, nor waits */
};

struct gate {
	atomic_int state;
	pthread_mutex_t closing; /* held by who has closed it */
	bool barrier;            /* membarrier(2) is to be had */
};

void gate_init(struct gate *gate);

/* The slow way: waits till it is open, and passes; false: it is over. */
bool gate_wait(struct gate *gate, atomic_bool *inside);

/*
 * Passes, if it is open: *inside is set then. The order of our two accesses for other threads is
 * seen to by gate_close, with membarrier(2).
 */
static inline bool gate_enter(struct gate *gate, atomic_bool *inside)
{
	atomic_store_explicit(inside, true, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(atomic_load_explicit(&gate->state, memory_order_acquire) == GATE_OPEN,
			     true))
		return true;
	return gate_wait(gate, inside);
}

static inline void gate_leave(atomic_bool *inside)
{
	atomic_store_explicit(inside, false, memory_order_release);
}

/*
 * Closes it: false, it is over. Who calls is not inside. Then all others are to be waited for
 * (gate_await each), and it is to be opened, or ended.
 */
bool gate_close(struct gate *gate);
void gate_await(const atomic_bool *inside);
void gate_open(struct gate *gate);
void gate_end(struct gate *gate);

#endif
