/* SPDX-License-Identifier: MIT */
/*
 * tracer: what records: perf, or one of our own engines. Nothing of it waits: who drives it polls
 * the file descriptors of tracer_poll together with its own, and calls tracer_step when one is
 * ready or the time is up.
 */
#ifndef MT_RECORD_TRACER_H
#define MT_RECORD_TRACER_H

#include "base/err.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum tracer_state {
	TRACER_STARTING,     /* not known to be recording yet */
	TRACER_RECORDING,    /* it sees what the targets do */
	TRACER_SNAPSHOTTING, /* a snapshot was asked for and is not complete */
	TRACER_STOPPING,     /* told to stop; writes what it has */
	TRACER_ENDED,        /* of itself or as it was told */
};

#define TRACER_FDS 4

struct tracer_ops {
	/* What to poll for: fills TRACER_FDS entries (fd -1: nothing), and how long, in ms. */
	void (*poll)(const void *self, struct pollfd fds[TRACER_FDS], int *timeout);
	/* Takes what has arrived, and says where it is. */
	enum tracer_state (*step)(void *self);
	/* Asks for a snapshot; in other states than TRACER_RECORDING it does nothing. */
	void (*snapshot)(void *self);
	/* How many snapshots are complete. */
	size_t (*snapshots)(const void *self);
	/* Tells it to end, and to write what it has; in any state. */
	void (*stop)(void *self);
	/* Nobody wants to wait any more: it ends as soon as it can without harm to the target. */
	void (*kill)(void *self);
	/*
	 * To be called in TRACER_ENDED, or to end it all; frees what belongs to this run of it. 0
	 * when it ended as it was told or because its targets did; else -1 with err (may be NULL).
	 */
	int (*finish)(void *self, struct err *err);
	/* The process group that must not outlive us; 0: it sees to that itself. */
	pid_t (*group)(const void *self);
};

struct tracer {
	const struct tracer_ops *ops; /* NULL: there is none */
	void *self;
	const char *name; /* in messages; borrowed */
	/*
	 * To end the recording is what takes the snapshot, so that to take it is to end it; there
	 * is no other way.
	 */
	bool end_is_snapshot;
	/*
	 * Each hit has a snapshot of its own, which is there when the hit is heard of; hits wait
	 * until then.
	 */
	bool hits_have_snapshots;
	/* What it wrote when its targets ended is a snapshot that was asked for, if it was. */
	bool end_answers;
};

#endif
