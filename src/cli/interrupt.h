/* SPDX-License-Identifier: MIT */
/*
 * interrupt: what Ctrl+C does while decoding. The first SIGINT, SIGTERM or SIGHUP ends perf, so
 * that the reader of its output comes back and can clean up; a second one ends the process at once,
 * without a half file. SIGPIPE only makes writes fail.
 */
#ifndef MT_CLI_INTERRUPT_H
#define MT_CLI_INTERRUPT_H

#include "perf/script.h"

/* Takes over the signals; what was ignored when we were started (nohup) stays so. */
void interrupt_install(void);

/* perf now runs, and is to be ended by a signal, also by one that has already come. */
void interrupt_watch(struct perf_script *perf);

/* perf is about to be freed. */
void interrupt_unwatch(void);

/* The signal that came; 0: none. */
int interrupt_signal(void);

#endif
