/* SPDX-License-Identifier: MIT */
/*
 * tasks: processes and threads as /proc tells of them (proc(5)).
 *
 * What a program calls itself is its own affair: names can be any bytes, empty too. Ids are those
 * of our pid namespace.
 */
#ifndef MT_RECORD_TASKS_H
#define MT_RECORD_TASKS_H

#include "base/err.h"
#include "record/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Notes process pid in rec: its command line (arguments joined by spaces, at most 64 KiB; "[comm]"
 * when there is none, as that of a thread of the kernel), and the comm of each thread. May be
 * called again: new threads are added, a changed name is replaced, what is gone stays. 0, or -1
 * with errno: the process is not there, and rec is as it was.
 */
int tasks_collect(struct recording *rec, pid_t pid);

/*
 * The threads that process pid has now, by id, for free(); at least one. -1 with err: it is not
 * there, or may not be seen.
 */
int tasks_list(pid_t pid, pid_t **tids, size_t *n, struct err *err);

/*
 * Whether a process or thread is there and has not ended: one that only waits for its parent to
 * ask how (a zombie) has. A process lives as long as one of its threads does.
 */
bool task_is_alive(pid_t pid);

/* Whether it is a thread of the kernel: it has no user code, and no executable. */
bool task_is_kernel(pid_t pid);

/* The process that thread tid belongs to: tid itself when it is a process; 0: not there. */
pid_t task_tgid(pid_t tid);

/*
 * The path of the program that pid executes, as the kernel has it, in the mount namespace of pid;
 * for free(). Of one that was deleted or replaced, the path where it was. 0, or -1 with errno: not
 * there, no permission, a thread of the kernel (ENOENT).
 */
int task_executable(pid_t pid, char **path);

#endif
