/* SPDX-License-Identifier: MIT */
/* watch: processes that run on their own, and whose end ends the recording (pidfd_open(2)). */
#ifndef MT_RECORD_WATCH_H
#define MT_RECORD_WATCH_H

#include "base/err.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct watch;

/*
 * 0 and *watch, or -1 with err: a process that does not exist or has ended, a thread's id (the hint
 * names its process), a kernel thread when there is no kernel scope, no permission to look at it.
 * A pid that is given twice is watched once.
 */
int watch_new(const pid_t *pids, size_t n, bool kernel_scope, struct watch **watch,
	      struct err *err);

/* The pids, each once. */
const pid_t *watch_pids(const struct watch *watch, size_t *n);

/* Fills an entry for each pid, fd -1 for those that have ended. */
void watch_poll(const struct watch *watch, struct pollfd *fds);

/* Looks which have ended, without waiting; whether any still runs. */
bool watch_any_left(struct watch *watch);

/*
 * The first pid that is another process's by now: its own has ended, and its number was given away.
 * 0: none. To be asked when a tracer, which knows numbers only, has attached.
 */
pid_t watch_reused(struct watch *watch);

/* The first that is stopped (by a signal or a debugger), or 0. */
pid_t watch_stopped(const struct watch *watch);

void watch_free(struct watch *watch);

#endif
