/* SPDX-License-Identifier: MIT */
/* threads: the threads of a process, as /proc/PID/task lists them, each once. */
#ifndef MT_RECORD_THREADS_H
#define MT_RECORD_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct threads {
	pid_t *seen; /* sorted; owned */
	size_t n, room;
};

/*
 * Calls each for every thread of process pid that is not among those seen; these are added when it
 * returned 1. When it returns a negative value the scan ends with that. How many were added, or
 * that value, or -1 with errno when the process has ended or may not be looked at.
 *
 * One scan does not see all while threads come and go: not those that are started behind it, and
 * one may be passed over when another ends at that moment.
 */
int threads_scan(struct threads *threads, pid_t pid, int (*each)(void *ctx, pid_t tid), void *ctx);

void threads_fini(struct threads *threads);

#endif
