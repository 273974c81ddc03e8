/* SPDX-License-Identifier: MIT */
#include "symbol/confine.h"

#include "base/closefrom.h"
#include "base/xalloc.h"
#include "symbol/sysfilter.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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
#ifndef __SANITIZE_ADDRESS__
	/* what ends it is told by those who wait for it */
	dup2(null, 2);
#endif
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

/* capset(2); it has no function in the C library. */
static void drop_capabilities(bool fetch)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct all[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	uint32_t kept = CAP_TO_MASK(CAP_DAC_READ_SEARCH) | CAP_TO_MASK(CAP_SYS_PTRACE);

	if (syscall(SYS_capget, &head, all) < 0)
		return;
	/*
	 * Where fetched files are kept may be a user's. And root of a container often has no other
	 * one to read what is another user's.
	 */
	if (fetch || !(all[0].permitted & CAP_TO_MASK(CAP_DAC_READ_SEARCH)))
		kept |= CAP_TO_MASK(CAP_DAC_OVERRIDE);
	/* all three are among the first 32 */
	all[0].permitted &= kept;
	all[0].effective &= kept;
	all[0].inheritable = 0;
	for (int i = 1; i < _LINUX_CAPABILITY_U32S_3; i++)
		all[i] = (struct __user_cap_data_struct){ 0 };
	syscall(SYS_capset, &head, all);
}

void confine(int *socket, int *fd, bool fetch)
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
	drop_capabilities(fetch);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (fetch) {
		sysfilter_fetching();
		return;
	}
	/* a write then is an error, and not the end */
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NPROC, 0);
	sysfilter_reading();
}

void confine_cpu(int ms)
{
	struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = (suseconds_t)(ms % 1000) * 1000 },
	};

	setitimer(ITIMER_PROF, &timer, NULL);
}
