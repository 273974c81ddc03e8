/* SPDX-License-Identifier: MIT */
#include "record/signals.h"

#include <errno.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool is_ignored(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_open(struct signals *signals, struct err *err)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
		if (!is_ignored(ending[i]))
			sigaddset(&set, ending[i]);
	}
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGCHLD);
	/* an ignored signal is thrown away even when it is blocked */
	if (is_ignored(SIGUSR2))
		sigaction(SIGUSR2, &dfl, NULL);
	sigprocmask(SIG_BLOCK, &set, &signals->old);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd >= 0)
		return 0;
	err_errno(err, "cannot take signals (signalfd)");
	sigprocmask(SIG_SETMASK, &signals->old, NULL);
	return -1;
}

int signals_next(struct signals *signals, bool *by_terminal)
{
	struct signalfd_siginfo info;
	ssize_t n;

	do
		n = read(signals->fd, &info, sizeof(info));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(info))
		return 0;
	/* a hangup is told to the leader of the session only: it is for us to pass it on */
	*by_terminal =
		info.ssi_code == SI_KERNEL && !(info.ssi_signo == SIGHUP && getsid(0) == getpid());
	return (int)info.ssi_signo;
}

void signals_close(struct signals *signals)
{
	/* a request for a snapshot that comes too late must not kill us */
	signal(SIGUSR2, SIG_IGN);
	close(signals->fd);
	signals->fd = -1;
	sigprocmask(SIG_SETMASK, &signals->old, NULL);
}
