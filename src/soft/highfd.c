/* SPDX-License-Identifier: MIT */
#include "soft/highfd.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* What limits there are at most; programs that close "all" files close so many. */
#define HIGHEST (1 << 20)
/* So many are for us, below the limit. */
#define OURS 16

/* Such a file stays open, and is none of those that a loop up to the limit closes. */
static int above_limit(int fd, const struct rlimit *limit)
{
	const struct rlimit raised = { .rlim_cur = limit->rlim_max, .rlim_max = limit->rlim_max };
	int high;

	if (limit->rlim_cur >= HIGHEST || limit->rlim_cur >= limit->rlim_max ||
	    setrlimit(RLIMIT_NOFILE, &raised) < 0)
		return -1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, (int)limit->rlim_cur);
	setrlimit(RLIMIT_NOFILE, limit);
	return high;
}

static int below_limit(int fd, const struct rlimit *limit)
{
	rlim_t end = limit->rlim_cur < HIGHEST ? limit->rlim_cur : HIGHEST;

	return end < 2ul * OURS ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, (int)end - OURS);
}

int highfd_move(int fd)
{
	struct rlimit limit;
	int high;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return fd;
	high = above_limit(fd, &limit);
	if (high < 0)
		high = below_limit(fd, &limit);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}
