/* SPDX-License-Identifier: MIT */
/*
 * session: one recording, from the start of perf to its end: what starts it, what takes a snapshot,
 * what ends it.
 */
#ifndef MT_RECORD_SESSION_H
#define MT_RECORD_SESSION_H

#include "base/err.h"
#include "record/listener.h"
#include "record/sessionconfig.h"
#include "record/target.h"

#include <stdbool.h>
#include <sys/types.h>

struct session_result {
	struct target *program; /* run's, or the one of attach -- COMMAND; may still run; owned */
	size_t snapshots;       /* that were asked for and completed */
	bool impatient;         /* it was told to stop twice: nobody wants to wait */
};

/*
 * Records. 0 when there is something in dir to be decoded (a recording that broke off says so in
 * recording.json), or -1 with err: nothing was recorded, and why. *result is filled in either case.
 *
 * Signals (SIGINT, SIGTERM, SIGHUP, SIGUSR2) are taken by it while it runs, as docs/magic-trace.1
 * says; their handlers are left alone.
 */
int session_record(const struct session_config *config, struct session_result *result,
		   struct err *err);

/*
 * Waits until the program of the result has ended, unless it has; passes SIGINT, SIGTERM and SIGHUP
 * on to it; a second one ends the waiting. Whether it has ended.
 */
bool session_wait(const struct listener *listener, struct session_result *result);

void session_result_fini(struct session_result *result);

#endif
