/* SPDX-License-Identifier: MIT */
/*
 * A program that counts the signals that it gets, and says all it does, a line each:
 *
 *	signals [ignore] [sleep] [once]
 *
 * ignore: SIGINT is ignored; sleep: it sleeps instead of working; once: the first signal ends it.
 * SIGUSR1 ends it: it calls last(), prints its counts and exits with 0.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t count[NSIG], ended, once;
static volatile unsigned long sink;

/* The numbers are below 100. */
static void on_signal(int sig)
{
	char line[] = "signal 00\n";

	line[7] = (char)('0' + sig / 10);
	line[8] = (char)('0' + sig % 10);
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		_exit(9);
	count[sig]++;
	ended = ended || once || sig == SIGUSR1;
}

__attribute__((noinline)) void work(void)
{
	for (unsigned long i = 0; i < 200000; i++)
		sink += i;
}

__attribute__((noinline)) void last(void)
{
	sink++;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGCONT };
	const struct timespec while_ = { .tv_nsec = 1000000 };
	sigset_t all, none;
	int sleeps = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigemptyset(&none);
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], on_signal);
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "ignore") == 0)
			signal(SIGINT, SIG_IGN);
		once = once || strcmp(argv[i], "once") == 0;
		sleeps = sleeps || strcmp(argv[i], "sleep") == 0;
	}
	printf("started %d\n", (int)getpid());
	while (!ended && !sleeps) {
		work();
		nanosleep(&while_, NULL);
	}
	/* between the look and the sleep no signal may come */
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (!ended)
		sigsuspend(&none);
	last();
	printf("INT %d TERM %d HUP %d\n", count[SIGINT], count[SIGTERM], count[SIGHUP]);
	return 0;
}
