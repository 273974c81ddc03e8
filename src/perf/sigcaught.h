/* SPDX-License-Identifier: MIT */
/* sigcaught: whether another process has a handler for a signal. */
#ifndef MT_PERF_SIGCAUGHT_H
#define MT_PERF_SIGCAUGHT_H

#include <stdbool.h>
#include <sys/types.h>

/* By the line SigCgt of /proc/PID/status (proc(5)). True also when that cannot be read. */
bool signal_is_caught(pid_t pid, int sig);

#endif
