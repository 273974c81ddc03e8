/* SPDX-License-Identifier: MIT */
/* procfs: what /proc says of a process or a thread (proc(5)), and why it cannot be traced. */
#ifndef MT_SOFT_PROCFS_H
#define MT_SOFT_PROCFS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A number of /proc/TID/status: field is "Tgid:", or "TracerPid:"; SigPnd and its like are hex. */
bool procfs_status(pid_t tid, const char *field, bool hex, uint64_t *value);

/* The state of a thread as one letter: 'R', 'S', 'D', 'Z' ...; 0: it is gone. */
char procfs_state(pid_t tid);

/* The name of a thread, without its newline; "" when it is gone. */
void procfs_comm(pid_t tid, char *comm, size_t size);

/* The threads of a process: calls fn for each. -1 with errno. */
int procfs_threads(pid_t pid, void (*fn)(void *ctx, pid_t tid), void *ctx);

/* Fills err with why ptrace(2) refused thread tid with errno `why`. Returns -1. */
int procfs_refused(pid_t tid, int why, struct err *err);

#endif
