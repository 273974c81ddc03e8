/* SPDX-License-Identifier: MIT */
/*
 * prepare: what comes before a recording: its program is started and held, its processes are
 * watched, its trigger is found.
 */
#ifndef MT_RECORD_PREPARE_H
#define MT_RECORD_PREPARE_H

#include "base/err.h"
#include "record/loopstate.h"

/*
 * Fills in what struct loop says is to be set before loop_run, but for what its comment says is
 * there already: config, settings, signals. -1 with err; what was set is the caller's to free all
 * the same.
 */
int prepare(struct loop *loop, struct err *err);

#endif
