/* SPDX-License-Identifier: MIT */
/* recthread: which threads there are, and what their processes have mapped (recorder.h). */
#ifndef MT_SOFT_RECTHREAD_H
#define MT_SOFT_RECTHREAD_H

#include "soft/perfdata.h"
#include "soft/recorder.h"

#include <stdint.h>
#include <sys/types.h>

struct recorder_thread;

/* A thread that is there before the recording begins. comm: its name. */
struct recorder_thread *recorder_thread_new(struct recorder *rec, pid_t pid, pid_t tid,
					    const char *comm) __attribute__((returns_nonnull));

/* A new one, made by `parent`; it is a new process when pid is another. */
struct recorder_thread *recorder_thread_clone(struct recorder_thread *parent, pid_t pid, pid_t tid)
	__attribute__((returns_nonnull));

/* Its number in the file. */
int32_t recorder_thread_id(const struct recorder_thread *thread);

/* How far it has come: ns of perf's clock. */
uint64_t recorder_thread_time(const struct recorder_thread *thread);

/* It has ended: what it has executed stays in the recording. */
void recorder_thread_end(struct recorder_thread *thread);

/* It executes another program (execve(2)), or has another name. Its mappings are all gone then. */
void recorder_thread_exec(struct recorder_thread *thread, const char *comm);
void recorder_thread_comm(struct recorder_thread *thread, const char *comm);

/*
 * Its process has this mapping: stamped in the middle of the system call that has ended last
 * (recorder_syscall_ended), which is before perf walks over what lies there. What is known is not
 * told again. Other threads may call it as well.
 */
void recorder_thread_map(struct recorder_thread *thread, const struct perfdata_mapping *mapping);

/* Something else, or nothing, lies there from now on. Other threads may call it as well. */
void recorder_thread_unmap(struct recorder_thread *thread, uint64_t start, uint64_t size);

#endif
