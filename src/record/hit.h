/* SPDX-License-Identifier: MIT */
/* hit: a thread has come to the trigger; and who tells of it. */
#ifndef MT_RECORD_HIT_H
#define MT_RECORD_HIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct hit {
	int64_t time;   /* of the recording's clock, ns */
	int64_t passed; /* the time that the program passed, of the same clock; 0: none */
	uint64_t arg;   /* the value that the program passed */
	uint64_t ip;
	int32_t pid, tid; /* as in our pid namespace; 0: a thread of none that we see */
};

/* What hardware breakpoints, and engines that execute the program themselves, have in common. */
struct hit_source_ops {
	/*
	 * Watches address in process pid: in its first thread, or, with all_threads, in all. A
	 * process that executed another program may be added again. -1 with err.
	 */
	int (*add)(void *self, pid_t pid, uint64_t address, bool all_threads, struct err *err);
	/* On, for one hit where that can be; and off. It begins as off. */
	void (*arm)(void *self);
	void (*disarm)(void *self);
	/* To be polled for POLLIN; -1: nothing, or the tracer's own are enough. */
	int (*fd)(const void *self);
	/*
	 * Takes hits that have come, by time, at most max, 0: there are none. Of an engine that has
	 * taken a snapshot at each, one at a time.
	 */
	size_t (*read)(void *self, struct hit *hits, size_t max);
	/* Whether a target executed another program since the last question: it needs a new add. */
	bool (*executed)(void *self, pid_t *pid);
	/* What the source owns; NULL: it is somebody else's. */
	void (*free)(void *self);
};

struct hit_source {
	const struct hit_source_ops *ops;
	void *self;
};

#endif
