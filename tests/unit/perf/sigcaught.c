/* SPDX-License-Identifier: MIT */
#include "perf/sigcaught.h"

#include "support/suite.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void handler(int sig)
{
	(void)sig;
}

START_TEST(test_our_own)
{
	signal(SIGUSR2, SIG_DFL);
	ck_assert(!signal_is_caught(getpid(), SIGUSR2));
	signal(SIGUSR2, SIG_IGN);
	ck_assert(!signal_is_caught(getpid(), SIGUSR2));
	signal(SIGUSR2, handler);
	ck_assert(signal_is_caught(getpid(), SIGUSR2));
	/* the last of them has the highest bit */
	ck_assert(!signal_is_caught(getpid(), SIGRTMAX));
	signal(SIGRTMAX, handler);
	ck_assert(signal_is_caught(getpid(), SIGRTMAX));
}
END_TEST

START_TEST(test_another)
{
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGTERM, SIG_DFL);
		pause();
		_exit(0);
	}
	ck_assert(!signal_is_caught(pid, SIGKILL));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	/* it is gone: nothing is known, and nothing is to be waited for */
	ck_assert(signal_is_caught(pid, SIGKILL));
}
END_TEST

SUITE_MAIN("sigcaught", test_our_own, test_another)
