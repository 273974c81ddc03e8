/* SPDX-License-Identifier: MIT */
/* launch: starts `perf record` for a loop, a second time if need be, and ends it. */
#ifndef MT_RECORD_LAUNCH_H
#define MT_RECORD_LAUNCH_H

#include "base/err.h"
#include "record/loop.h"

/* Starts perf with the loop's settings, and has the guard watch it. 0, or -1 with err. */
int launch_perf(struct loop *loop, struct err *err);

/*
 * Perf has ended before it recorded: starts it once more without --kcore, which a kernel may
 * refuse, and says so. -1 with err (why it ended) when that is no way.
 */
int launch_again(struct loop *loop, struct err *err);

/* Ends perf if it has not ended; as perf_record_finish. */
int launch_finish(struct loop *loop, struct err *err);

#endif
