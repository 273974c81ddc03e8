/* SPDX-License-Identifier: MIT */
/* process: a perf that was started, its complaints, and how it ended. */
#ifndef MT_PERF_PROCESS_H
#define MT_PERF_PROCESS_H

#include "base/err.h"
#include "base/str.h"
#include "perf/text.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct perf_process_args {
	char *const *argv;   /* argv[0] is perf: a path, or a name looked up in PATH */
	enum perf_mode mode; /* chooses among the hints */
	const int *pass;     /* files that become 3, 4 ... in perf; may be NULL */
	size_t n_pass;
	/*
	 * Gets each line that perf prints to standard error, without its newline, cut at 4096
	 * bytes, but not those that say nothing of interest. May be NULL.
	 */
	void (*on_stderr)(void *ctx, struct str line);
	void *ctx;
};

struct perf_process;

/*
 * Starts perf, in a process group of its own, with PAGER=cat and LC_ALL=C; it dies with the thread
 * that started it (PR_SET_PDEATHSIG, prctl(2)).
 * 0 and *p, or -1 with err (perf is missing, with a hint which package brings it; cannot be run).
 */
int perf_process_start(const struct perf_process_args *args, struct perf_process **p,
		       struct err *err);

/* Its process id, which also is its group's. */
pid_t perf_process_pid(const struct perf_process *p);

/*
 * Waits for something on standard output, and takes what comes on standard error meanwhile: how
 * many bytes, 0 at the end, which also is perf's own end when somebody else holds the pipe. -1 with
 * err: it cannot be read, or perf_process_stop is or was called.
 */
ssize_t perf_process_read(struct perf_process *p, void *buf, size_t size, struct err *err);

/*
 * Waits for perf's end, and takes what comes on standard error meanwhile. True when it has ended,
 * or perf_process_stop is or was called; false when ms have passed before that.
 */
bool perf_process_wait(struct perf_process *p, unsigned int ms);

#define PERF_PROCESS_FDS 3

/* For callers that do not wait: what to poll for (fd -1: nothing) ... */
void perf_process_poll(const struct perf_process *p, struct pollfd fds[PERF_PROCESS_FDS]);

/* ... and what to do when it is ready: takes what is on standard error, drops standard output. */
void perf_process_drain(struct perf_process *p);

/*
 * Whether the kernel tells of perf's end through perf_process_poll (Linux 5.3). When it does not,
 * perf_process_ended is to be asked now and then.
 */
bool perf_process_tells_end(const struct perf_process *p);

/* Whether it has ended. */
bool perf_process_ended(const struct perf_process *p);

/* Sends a signal to perf and its group. Async-signal-safe. */
void perf_process_signal(struct perf_process *p, int sig);

/* Ends perf at once, and what waits for it. Async-signal-safe. */
void perf_process_stop(struct perf_process *p);
bool perf_process_stopped(const struct perf_process *p);

/*
 * Kills perf if it has not ended, takes what is left on standard error, and returns the status as
 * waitpid(2) gives it. To be called once; only perf_process_fail and _free may follow.
 */
int perf_process_reap(struct perf_process *p);

/*
 * Says in err what failed (printf style), and behind it perf's own words: the line of its standard
 * error that is known to tell why, else the last one; with the hint that belongs to it. Returns -1.
 */
int perf_process_fail(const struct perf_process *p, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reaps it if that was not done. No signal handler may know p any more. NULL is nothing. */
void perf_process_free(struct perf_process *p);

#endif
