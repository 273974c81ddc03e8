/* SPDX-License-Identifier: MIT */
#include "soft/highfd.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* What limits there are at most; programs that close "all" files close so many. */
#define HIGHEST (1 << 20)
/* So many are for us, below the limit. */
#define OURS 16

int highfd_move(int fd)
{
	struct rlimit limit;
	int high;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur < 2ul * OURS)
		return fd;
	if (limit.rlim_cur > HIGHEST)
		limit.rlim_cur = HIGHEST;
	high = fcntl(fd, F_DUPFD_CLOEXEC, (int)limit.rlim_cur - OURS);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}
