/* SPDX-License-Identifier: MIT */
#include "soft/ticker.h"

#include <string.h>
#include <unistd.h>

#define PERIOD_NS 10000000

/* For the signal handler. */
static volatile sig_atomic_t ticked;

static void on_tick(int sig)
{
	(void)sig;
	ticked = 1;
}

void ticker_start(struct ticker *ticker)
{
	const struct itimerspec period = { .it_interval.tv_nsec = PERIOD_NS,
					   .it_value.tv_nsec = PERIOD_NS };
	struct sigaction action = { .sa_handler = on_tick }; /* no SA_RESTART */
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX };
	sigset_t mask;

	event._sigev_un._tid = gettid(); /* sigev_notify_thread_id: glibc has no name for it */
	ticked = 1;
	sigaction(SIGRTMAX, &action, &ticker->old);
	sigemptyset(&mask);
	sigaddset(&mask, SIGRTMAX);
	pthread_sigmask(SIG_UNBLOCK, &mask, &ticker->old_mask);
	ticker->on = timer_create(CLOCK_MONOTONIC, &event, &ticker->timer) == 0;
	if (ticker->on)
		timer_settime(ticker->timer, 0, &period, NULL);
}

void ticker_stop(struct ticker *ticker)
{
	if (ticker->on)
		timer_delete(ticker->timer);
	ticker->on = false;
	pthread_sigmask(SIG_SETMASK, &ticker->old_mask, NULL);
	sigaction(SIGRTMAX, &ticker->old, NULL);
}

void ticker_tick(struct ticker *ticker)
{
	(void)ticker;
	ticked = 1;
}

bool ticker_take(struct ticker *ticker)
{
	bool r = ticked;

	(void)ticker;
	ticked = 0;
	return r;
}
