/* SPDX-License-Identifier: MIT */
#include "perf/sigcaught.h"

#include "base/procfs.h"

#include <stdint.h>

bool signal_is_caught(pid_t pid, int sig)
{
	uint64_t mask;

	return !procfs_status(pid, "SigCgt:", true, &mask) || (mask >> (sig - 1) & 1);
}
