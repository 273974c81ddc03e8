/* SPDX-License-Identifier: MIT */
/*
 * sigframe: signals that the program handles. The plugin API does not tell of them: they show in
 * that a handler begins where it cannot, and in what the kernel (QEMU) has put on the stack then.
 */
#ifndef MT_SOFT_PLUGIN_SIGFRAME_H
#define MT_SOFT_PLUGIN_SIGFRAME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where handlers begin, and where they go on before they have used the stack, `lowered` bytes
 * below where it was then.
 */
struct sigframe_place {
	uint64_t ip, lowered;
	unsigned int depth; /* 0: the beginning */
};

struct sigframe_handlers {
	pthread_mutex_t lock; /* of changes */
	atomic_size_t n;      /* of all, which only grow */
	struct sigframe_place all[512];
};

void sigframe_init(struct sigframe_handlers *h);

/* The program calls rt_sigaction(2) with the action at this address, at base of ours. */
void sigframe_action(struct sigframe_handlers *h, uint64_t base, uint64_t action);

/* Whether this address is that of a handler, now or before. */
bool sigframe_is_handler(const struct sigframe_handlers *h, uint64_t ip);

/* A handler goes on there, from the place before. */
void sigframe_goes_on(struct sigframe_handlers *h, const struct sigframe_place *before, uint64_t ip,
		      uint64_t lowered);

/* Whether a handler begins, or goes on, there. */
bool sigframe_find(const struct sigframe_handlers *h, uint64_t ip, struct sigframe_place *place);

struct sigframe {
	uint64_t ip; /* what was the next instruction */
	bool fault;  /* and it could not be executed */
};

/* What lies on the stack at sp when a handler begins; false: it does not begin by a signal. */
bool sigframe_read(uint64_t base, uint64_t sp, struct sigframe *frame);

#endif
