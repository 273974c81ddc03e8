/* SPDX-License-Identifier: MIT */
/* child: another program, run with its output in pipes, and never left behind. */
#ifndef MT_BASE_CHILD_H
#define MT_BASE_CHILD_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* So many file descriptors can be handed on. */
#define CHILD_PASS_MAX 4

/* A program that was started. To be waited for with child_reap, whatever happens. */
struct child {
	pid_t pid;
	int out, err; /* where its standard output and error are read; -1: closed */
	int ended_fd; /* becomes readable when it has ended; -1 on kernels before 5.3 */
	/* its process group while signals may be sent to it, else 0; for signal handlers */
	_Atomic pid_t group;
};

/*
 * The file that a name stands for: itself when it holds a slash, else the first executable of that
 * name in PATH. NULL, with errno set, when there is none that may be executed. Free with free().
 */
char *child_find(const char *name);

/*
 * As child_find, for a program that helps us, not the one to be traced. When we are root, what any
 * user could have put there is passed over: relative and empty entries of PATH, and directories and
 * files that everybody may write to (errno is EACCES if there was such a one).
 */
char *child_find_tool(const char *name);

/*
 * Starts the program at path with argv, and with env ("NAME=VALUE" strings, ending in NULL)
 * replacing or joining the variables of our environment. Its standard input is /dev/null. The
 * n_pass files in pass (at most CHILD_PASS_MAX) become its file descriptors 3, 4 ... in that order;
 * they stay open and unchanged here. No other file of ours is open in it (Linux 5.11 or later), it
 * leads a process group of its own (a terminal's Ctrl+C does not reach it), and it is killed when
 * the thread that started it ends (PR_SET_PDEATHSIG: see prctl(2)). 0, or -1 with err and errno
 * set.
 */
int child_start(struct child *c, const char *path, char *const argv[], const char *const env[],
		const int *pass, size_t n_pass, struct err *err);

/* Sends a signal to all of its group while it has not been reaped. Async-signal-safe. */
void child_kill(struct child *c, int sig);

/* Whether it has ended. It stays to be reaped. */
bool child_ended(const struct child *c);

/*
 * Waits for its end without limit, kills what is left of its group, closes all that is open, and
 * returns the status as waitpid(2) gives it. When that cannot be had (SIGCHLD is ignored, or it was
 * reaped elsewhere), the status is that of a failure: exited with 127.
 */
int child_reap(struct child *c);

#endif
