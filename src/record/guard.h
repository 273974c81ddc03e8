/* SPDX-License-Identifier: MIT */
/*
 * guard: a process that waits for our end, however it comes, and then tidies up: kills perf, and
 * removes a temporary directory with what perf and we have written into it.
 *
 * perf is asked to die with us by PR_SET_PDEATHSIG already, but that is cleared for a program with
 * file capabilities, as perf often has them (prctl(2)); and a temporary directory would stay.
 *
 * The guard is a session and a process group of its own with all signals blocked, has our standard
 * files on /dev/null and no others open but those it needs, and its directory is /. So nothing of
 * the caller's is kept alive, and only SIGKILL ends it. It is called mt-guard, so that
 * `pkill -9 magic-trace` does not take it along.
 */
#ifndef MT_RECORD_GUARD_H
#define MT_RECORD_GUARD_H

#include "base/err.h"

#include <sys/types.h>

struct guard;

/*
 * Starts one for the directory that is open as fd (a lock on it is held until the guard, too, has
 * ended). temporary: its absolute path when it is to be removed, else NULL; borrowed for the call
 * only. To be ended with guard_end by the process that started it; also waitpid(2) for any child
 * sees its end. 0, or -1 with err: no more processes.
 */
int guard_start(int fd, const char *temporary, struct guard **guard, struct err *err);

/*
 * What to kill: the process group pgid; 0: nothing any more. That must be said as soon as perf has
 * been waited for: from then on the number may come to mean others.
 */
void guard_watch(struct guard *guard, pid_t pgid);

pid_t guard_pid(const struct guard *guard);

/* Ends it, without doing anything, waits for that, and frees guard. NULL is allowed. */
void guard_end(struct guard *guard);

#endif
