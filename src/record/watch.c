/* SPDX-License-Identifier: MIT */
#include "record/watch.h"

#include "base/procfs.h"
#include "base/xalloc.h"
#include "record/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct watch {
	pid_t *pids;
	int *fds; /* pidfds; -1: it has ended */
	size_t n;
};

static int add(struct watch *watch, pid_t pid, bool kernel_scope, struct err *err)
{
	pid_t tgid = task_tgid(pid);
	int fd;

	for (size_t i = 0; i < watch->n; i++) {
		if (watch->pids[i] == pid)
			return 0;
	}
	if (tgid > 0 && tgid != pid) {
		err_set(err, "%d is a thread of process %d", (int)pid, (int)tgid);
		return err_hint(err, "-pid %d -multi-thread traces all of its threads", (int)tgid);
	}
	fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0 && errno == ESRCH) {
		err_set(err, "there is no process %d", (int)pid);
		return err_hint(err, "`ps -e` lists the processes; attach without -pid lets you "
				     "choose one");
	}
	if (fd < 0)
		return err_errno(err, "cannot watch process %d (pidfd_open)", (int)pid);
	if (procfs_state(pid) == 'Z') {
		close(fd);
		return err_set(err, "process %d has ended (its parent has not asked how)",
			       (int)pid);
	}
	if (!kernel_scope && task_is_kernel(pid)) {
		close(fd);
		err_set(err, "process %d is a thread of the kernel", (int)pid);
		return err_hint(
			err,
			"it has no user code, only the kernel's: -trace-kernel-only records that, "
			"by Intel PT or by sampling");
	}
	watch->pids[watch->n] = pid;
	watch->fds[watch->n++] = fd;
	return 0;
}

int watch_new(const pid_t *pids, size_t n, bool kernel_scope, struct watch **out, struct err *err)
{
	struct watch *watch = xcalloc(1, sizeof(*watch));

	watch->pids = xcalloc(n, sizeof(*watch->pids));
	watch->fds = xcalloc(n, sizeof(*watch->fds));
	for (size_t i = 0; i < n; i++) {
		if (add(watch, pids[i], kernel_scope, err) < 0) {
			watch_free(watch);
			return -1;
		}
	}
	*out = watch;
	return 0;
}

const pid_t *watch_pids(const struct watch *watch, size_t *n)
{
	*n = watch->n;
	return watch->pids;
}

void watch_poll(const struct watch *watch, struct pollfd *fds)
{
	for (size_t i = 0; i < watch->n; i++)
		fds[i] = (struct pollfd){ .fd = watch->fds[i], .events = POLLIN };
}

bool watch_any_left(struct watch *watch)
{
	bool left = false;

	for (size_t i = 0; i < watch->n; i++) {
		struct pollfd p = { .fd = watch->fds[i], .events = POLLIN };

		if (p.fd >= 0 && poll(&p, 1, 0) > 0) {
			close(p.fd);
			watch->fds[i] = -1;
		}
		left = left || watch->fds[i] >= 0;
	}
	return left;
}

pid_t watch_reused(struct watch *watch)
{
	watch_any_left(watch);
	for (size_t i = 0; i < watch->n; i++) {
		char state = watch->fds[i] < 0 ? procfs_state(watch->pids[i]) : 0;

		/* a zombie has its number still */
		if (state && state != 'Z' && state != 'X')
			return watch->pids[i];
	}
	return 0;
}

pid_t watch_stopped(const struct watch *watch)
{
	for (size_t i = 0; i < watch->n; i++) {
		char state = procfs_state(watch->pids[i]);

		/* not 't': its tracer will let go of it, or is who keeps us from it */
		if (state == 'T')
			return watch->pids[i];
	}
	return 0;
}

void watch_free(struct watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->n; i++) {
		if (watch->fds[i] >= 0)
			close(watch->fds[i]);
	}
	free(watch->pids);
	free(watch->fds);
	free(watch);
}
