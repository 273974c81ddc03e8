/* SPDX-License-Identifier: MIT */
#include "base/closefrom.h"

#include "base/closerange.h"

#include <limits.h>
#include <sys/resource.h>
#include <unistd.h>

void closefrom_fd(int first)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	if (syscall(SYS_close_range, (unsigned int)first, ~0u, 0u) == 0)
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (rlim_t fd = (rlim_t)first; fd < limit.rlim_cur && fd < INT_MAX; fd++)
		close((int)fd);
}
