/* SPDX-License-Identifier: MIT */
/*
 * interrupt: what Ctrl+C does while decoding. The first SIGINT, SIGTERM or SIGHUP ends perf, so
 * that the reader of its output comes back and can clean up; a second one ends the process at once,
 * without a half file. SIGPIPE only makes writes fail.
 */
#ifndef MT_CLI_INTERRUPT_H
#define MT_CLI_INTERRUPT_H

/* Takes over the signals; what was ignored when we were started (nohup) stays so. */
void interrupt_install(void);

/*
 * From now on a signal calls stop, also one that has already come; ctx is not NULL. stop must be
 * async-signal-safe.
 */
void interrupt_watch(void (*stop)(void *ctx), void *ctx);

/* ctx is about to be freed. */
void interrupt_unwatch(void);

/* The signal that came; 0: none. */
int interrupt_signal(void);

#endif
