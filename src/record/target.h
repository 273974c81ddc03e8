/* SPDX-License-Identifier: MIT */
/*
 * target: a program that we start: the one to be traced, stopped before its first instruction until
 * all is ready, or the one that runs while others are traced.
 *
 * Held by ptrace(2) only while it is stopped; should we die meanwhile, it runs on (a quiet one is
 * killed).
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

struct target_options {
	const sigset_t *mask;   /* its signal mask */
	const char *const *env; /* "NAME=VALUE" to be set as well, ending in NULL; may be NULL */
	/*
	 * Addresses are the same in each run (ADDR_NO_RANDOMIZE, personality(2)). So that they are,
	 * its environment, which lies on its stack, is as long each time: it has no
	 * MAGIC_TRACE_PID.
	 */
	bool no_aslr;
	/* Another process of ours may step it (PR_SET_PTRACER): YAMA asks. */
	bool steppable;
	bool quiet;       /* its standard files are /dev/null, and it does not run when we die */
	int out;          /* quiet: another file for its standard output; 0: none */
	const char *name; /* what messages call it, when argv[0] is not the user's; may be NULL */
};

/*
 * Starts argv[0] (looked up in PATH) in our process group, with our standard files unless it is to
 * be quiet; MAGIC_TRACE_PID in its environment is our pid. 0 and *target, stopped; or -1 with err:
 * no such program, not one that the kernel executes (a script without #! is none), it ended at
 * once, ptrace is not permitted, nor is personality(2).
 */
int target_start(char *const argv[], const struct target_options *options, struct target **target,
		 struct err *err);

/*
 * Says in err why `name` cannot be run; why: an errno. path: where it was found, NULL: it was not.
 * Returns -1.
 */
int target_cannot_run(const char *name, const char *path, int why, struct err *err);

pid_t target_pid(const struct target *target);

/*
 * Lets it run to address, an instruction of its first thread, and stops it there. -1 with err: it
 * ended before it came there, or a breakpoint cannot be set. Waits for it without limit.
 */
int target_run_to(struct target *target, uint64_t address, struct err *err);

/*
 * Lets it run until it is about to end by itself, with all that it has mapped still there, and
 * stops it there. For what is not to get as far as to run the program: -1 with err when it reaches
 * `limit`, an instruction of its first thread (where the kernel cannot set a breakpoint, that is
 * not looked at), executes another program, or is ended by a signal. Waits for it without limit.
 */
int target_run_to_exit(struct target *target, uint64_t limit, struct err *err);

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
