/* SPDX-License-Identifier: MIT */
/*
 * ticker: interrupts the calling thread's system calls every 10 ms (they fail with EINTR), so that
 * no wait is without end. By the signal SIGRTMAX; one ticker in a process at a time.
 */
#ifndef MT_SOFT_TICKER_H
#define MT_SOFT_TICKER_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct ticker {
	bool on;
	timer_t timer;
	struct sigaction old;
	sigset_t old_mask;
};

/* If there can be no timer, it does not tick by itself. */
void ticker_start(struct ticker *ticker);
void ticker_stop(struct ticker *ticker);

/* A tick out of turn. */
void ticker_tick(struct ticker *ticker);

/* Whether it has ticked since the last time. */
bool ticker_take(struct ticker *ticker);

#endif
