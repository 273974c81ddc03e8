/* SPDX-License-Identifier: MIT */
/*
 * target: a program that we start: the one to be traced, stopped before its first instruction until
 * all is ready, or the one that runs while others are traced.
 *
 * Held by ptrace(2) only while it is stopped; should we die meanwhile, it runs on.
 */
#ifndef MT_RECORD_TARGET_H
#define MT_RECORD_TARGET_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct target;

enum target_state {
	TARGET_STOPPED, /* before its first instruction, or where target_run_to has brought it */
	TARGET_RUNNING,
	TARGET_ENDED,
};

/*
 * Starts argv[0] (looked up in PATH) with our standard files, in our process group, with the signal
 * mask `mask`; MAGIC_TRACE_PID in its environment is our pid. 0 and *target, stopped; or -1 with
 * err: no such program, not one that the kernel executes (a script without #! is none), it ended at
 * once, ptrace is not permitted.
 */
int target_start(char *const argv[], const sigset_t *mask, struct target **target, struct err *err);

pid_t target_pid(const struct target *target);

/*
 * Lets it run to address, an instruction of its first thread, and stops it there. -1 with err: it
 * ended before it came there, or a breakpoint cannot be set. Waits for it without limit.
 */
int target_run_to(struct target *target, uint64_t address, struct err *err);

/* Lets it run, no longer traced. -1 with err. */
int target_resume(struct target *target, struct err *err);

/* Becomes readable when it has ended. */
int target_fd(const struct target *target);

/* Takes what has happened, without waiting; TARGET_STOPPED before target_resume. */
enum target_state target_step(struct target *target);

/* Sends it a signal unless it has ended. */
void target_signal(struct target *target, int sig);

/* How it ended, as waitpid(2) says; only when it has. */
int target_status(const struct target *target);

/*
 * Frees it. One that is stopped before it ran is killed; one that runs is left running.
 */
void target_free(struct target *target);

#endif
