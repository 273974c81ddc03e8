/* SPDX-License-Identifier: MIT */
/*
 * signals: those that steer a recording, taken as they come by a poll loop (signalfd(2)) instead of
 * by handlers: SIGINT, SIGTERM, SIGHUP, SIGUSR2 and SIGCHLD.
 */
#ifndef MT_RECORD_SIGNALS_H
#define MT_RECORD_SIGNALS_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>

struct signals {
	int fd;
	sigset_t old; /* the mask before, for programs that we start */
};

/*
 * Blocks them in this thread; those that were ignored when we were started (nohup) stay so, but for
 * SIGCHLD and SIGUSR2. -1 with err. To be ended with signals_close.
 */
int signals_open(struct signals *signals, struct err *err);

/*
 * The next one that has come, without waiting; 0: none. *by_terminal: the kernel sent it, for a key
 * at the terminal, to all of the foreground process group (sigaction(2): SI_KERNEL).
 */
int signals_next(struct signals *signals, bool *by_terminal);

/* The mask is as before: one that comes from now on meets its handler. */
void signals_close(struct signals *signals);

#endif
