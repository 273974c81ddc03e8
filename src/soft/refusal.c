/* SPDX-License-Identifier: MIT */
#include "soft/refusal.h"

#include "base/procfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_of_kernel(pid_t tid)
{
	char path[64], target[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", tid);
	return readlink(path, target, sizeof(target)) < 0 && errno == ENOENT;
}

static int no_permission(pid_t tid, struct err *err)
{
	char scope[8];
	uint64_t uid;

	err_set(err, "process %d: no permission to trace it", tid);
	if (procfs_status(tid, "Uid:", false, &uid) && uid != geteuid())
		return err_hint(err, "it belongs to another user: run magic-trace as that user, "
				     "or as root");
	if (procfs_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) &&
	    scope[0] != '0')
		return err_hint(err,
				"kernel.yama.ptrace_scope is %c: set it to 0 (sysctl), or run "
				"magic-trace as root",
				scope[0]);
	return err_hint(err, "a program that is setuid, or has capabilities or secrets, is traced "
			     "by root only; a container needs --cap-add SYS_PTRACE");
}

int refusal(pid_t tid, int why, struct err *err)
{
	char state = procfs_state(tid), comm[32];
	uint64_t tracer = 0;

	if (why == ESRCH || state == 0 || state == 'Z' || state == 'X')
		return err_set(err, "there is no process %d: it has ended, or the number is wrong",
			       tid);
	procfs_status(tid, "TracerPid:", false, &tracer);
	if (why == EPERM && tracer) {
		procfs_comm((pid_t)tracer, comm, sizeof(comm));
		err_set(err, "process %d is traced already, by process %d (%s)", tid, (int)tracer,
			comm);
		return err_hint(err, "a process can have one tracer: end that one first");
	}
	if (why == EPERM && is_of_kernel(tid))
		return err_set(err, "process %d is a thread of the kernel: it has no program", tid);
	if (why == EPERM || why == EACCES)
		return no_permission(tid, err);
	errno = why;
	err_errno(err, "process %d cannot be traced", tid);
	if (why == ENOSYS)
		return err_hint(err, "ptrace(2) is not permitted here: a container needs "
				     "--cap-add SYS_PTRACE");
	return -1;
}
