/* SPDX-License-Identifier: MIT */
#include "symbol/confine.h"

#include "base/closefrom.h"
#include "base/xalloc.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

static void limit(int what, uint64_t value)
{
	struct rlimit limit = { .rlim_cur = value, .rlim_max = value };

	/* a lower one that was there stays */
	setrlimit(what, &limit);
}

static void keep_files(int *socket, int *fd)
{
	int sockets = fcntl(*socket, F_DUPFD, 10), file = fcntl(*fd, F_DUPFD, 10);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (sockets < 0 || file < 0 || null < 0)
		_exit(1);
	dup2(null, 0);
	dup2(null, 1);
	*socket = dup2(sockets, 3);
	*fd = dup2(file, 4);
	closefrom_fd(5);
}

static void reset_signals(void)
{
	static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
				       SIGUSR2, SIGALRM, SIGPIPE, SIGCHLD, SIGPROF };
	sigset_t none;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

void confine(int *socket, int *fd)
{
	keep_files(socket, fd);
	reset_signals();
	/* out of memory, the trace is not ours to remove */
	xalloc_on_fail(NULL);
	limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__
	/* which takes terabytes of addresses for itself */
	limit(RLIMIT_AS, CONFINE_MEMORY);
#endif
}

void confine_cpu(int ms)
{
	struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000 },
	};

	setitimer(ITIMER_PROF, &timer, NULL);
}
