/* SPDX-License-Identifier: MIT */
/* procfs: what /proc says of a process or a thread (proc(5)). Nothing is allocated. */
#ifndef MT_BASE_PROCFS_H
#define MT_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The beginning of a file, and a NUL; how long it is, 0: it cannot be read. size is at least 1. */
size_t procfs_text(const char *path, char *text, size_t size);

/* A number of /proc/TID/status: field is "Tgid:", or "TracerPid:"; SigPnd and its like are hex. */
bool procfs_status(pid_t tid, const char *field, bool hex, uint64_t *value);

/* The state of a thread as one letter: 'R', 'S', 'D', 'Z' ...; 0: it is gone. */
char procfs_state(pid_t tid);

/* The name of a thread, without its newline; "" when it is gone. */
void procfs_comm(pid_t tid, char *comm, size_t size);

/* The threads of a process: calls fn for each until that returns false. -1 with errno. */
int procfs_threads(pid_t pid, bool (*fn)(void *ctx, pid_t tid), void *ctx);

#endif
