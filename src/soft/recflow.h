/* SPDX-License-Identifier: MIT */
/* recflow: what threads execute, and the time that it takes (recorder.h). */
#ifndef MT_SOFT_RECFLOW_H
#define MT_SOFT_RECFLOW_H

#include "soft/insn.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stdint.h>

struct recorder_thread;

/* As stream_executed. */
void recorder_executed(struct recorder_thread *thread, uint64_t start, uint64_t n, uint64_t ip,
		       struct insn insn, uint64_t to);

/* As stream_interrupted: a signal, a fault. */
void recorder_interrupted(struct recorder_thread *thread, uint64_t next);

/* Whether it has executed nothing since the kernel had it, or since another had its turn. */
bool recorder_is_outside(const struct recorder_thread *thread);

/* A system call that was executed goes on, and has ended. */
void recorder_syscall_began(struct recorder_thread *thread);
void recorder_syscall_ended(struct recorder_thread *thread);

/* From now on it is this one that runs, and no other. */
void recorder_run(struct recorder_thread *thread);

/* Writes what it has in its ring, if recorder_snapshot has asked for it since the last time. */
void recorder_settle(struct recorder_thread *thread);

#endif
