/* SPDX-License-Identifier: MIT */
/* launch: starts the tracer for a loop, perf a second time if need be, and ends it. */
#ifndef MT_RECORD_LAUNCH_H
#define MT_RECORD_LAUNCH_H

#include "base/err.h"
#include "record/loopstate.h"

/* Starts it with the loop's settings, and has the guard watch it. 0, or -1 with err. */
int launch_tracer(struct loop *loop, struct err *err);

/*
 * It has ended before it recorded: perf is started once more without --kcore, which a kernel may
 * refuse, and that is said. -1 with err (why it ended) when that is no way.
 */
int launch_again(struct loop *loop, struct err *err);

/* Ends it if it has not ended; as its finish. */
int launch_finish(struct loop *loop, struct err *err);

#endif
