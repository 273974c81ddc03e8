/* SPDX-License-Identifier: MIT */
/*
 * loop: what happens while something is recorded: waits for the tracer, signals, hits, and the ends
 * of programs, takes snapshots, and stops the tracer. Made ready by session.
 */
#ifndef MT_RECORD_LOOP_H
#define MT_RECORD_LOOP_H

#include "base/err.h"
#include "record/loopstate.h"

/*
 * Starts the tracer and drives it to its end. 0 when it has recorded (a failure half-way is in the
 * recording's reason, and was said), or -1 with err: it recorded nothing.
 */
int loop_run(struct loop *loop, struct err *err);

#endif
