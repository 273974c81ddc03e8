/* SPDX-License-Identifier: MIT */
#include "soft/refusal.h"

#include "base/num.h"
#include "base/procfs.h"
#include "base/str.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTAINER "a container needs --cap-add SYS_PTRACE"

/* include/linux/sched.h of the kernel, in the flags of /proc/PID/stat. */
#define PF_KTHREAD UINT64_C(0x200000)
/* proc_pid_stat(5): numbers from 1; the name, field 2, ends with the last ')'. */
#define STAT_NAME  2
#define STAT_FLAGS 9

/* Not by /proc/PID/exe, which only those may read who may trace. */
static bool is_of_kernel(pid_t tid)
{
	char path[64], text[512];
	const char *at;
	struct str flags;
	uint64_t v;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	at = procfs_text(path, text, sizeof(text)) ? strrchr(text, ')') : NULL;
	for (int field = STAT_NAME; at && field < STAT_FLAGS; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	flags = str_of(at + 1);
	return num_dec(&flags, &v) && (v & PF_KTHREAD);
}

/*
 * Whether it has privileges, or secrets, that its user may not get at: then its files in /proc are
 * root's (proc(5), on PR_SET_DUMPABLE), or those of the user whose privileges it has.
 */
static bool is_privileged(pid_t tid, uint64_t uid)
{
	char path[64];
	struct stat st;

	/* not the directory, which is always the user's */
	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	return stat(path, &st) == 0 && st.st_uid != uid;
}

/* The value of kernel.yama.ptrace_scope (Documentation/admin-guide/LSM/Yama.rst); '0': none. */
static char yama_scope(void)
{
	char scope[8];

	return procfs_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) ? scope[0]
										       : '0';
}

static int hint_yama(char scope, struct err *err)
{
	if (scope == '3')
		return err_hint(err, "kernel.yama.ptrace_scope is 3: nobody may trace anything "
				     "until this machine is booted with another value");
	return err_hint(err,
			"kernel.yama.ptrace_scope is %c: run magic-trace as root, or set it to 0 "
			"(sysctl kernel.yama.ptrace_scope=0)",
			scope);
}

int refusal_permission(pid_t tid, struct err *err)
{
	char scope = yama_scope();
	uint64_t uid = 0;

	err_set(err, "process %d: no permission to trace it", tid);
	if (scope == '3')
		return hint_yama(scope, err);
	if (geteuid() == 0)
		return err_hint(err, "root needs the capability CAP_SYS_PTRACE for it, in the user "
				     "namespace of the process: " CONTAINER);
	if (procfs_status(tid, "Uid:", false, &uid) && uid != geteuid())
		return err_hint(err, "it belongs to another user: run magic-trace as that user, "
				     "or as root");
	if (is_privileged(tid, uid))
		return err_hint(err, "its program is setuid, has capabilities, may not be read, or "
				     "keeps secrets: run magic-trace as root");
	if (scope != '0')
		return hint_yama(scope, err);
	return err_hint(err, "run magic-trace as root; " CONTAINER);
}

int refusal_stop(pid_t pid, pid_t tid, struct err *err)
{
	err_set(err,
		"process %d does not stop: its thread %d waits in the kernel (state %c), where it "
		"cannot be interrupted",
		pid, tid, procfs_state(tid));
	return err_hint(err, "it waits for the child that it made with vfork(2), or for a disk or "
			     "another machine; try again when that is over");
}

int refusal_machine(pid_t pid, struct err *err)
{
	err_set(err, "process %d executes a program that is not 64-bit x86", pid);
	return err_hint(err, "in software only 64-bit x86 programs can be recorded");
}

static int has_ended(pid_t tid, char state, struct err *err)
{
	uint64_t threads = 0;

	if (state == 'Z' && procfs_status(tid, "Threads:", false, &threads) && threads > 1)
		return err_set(err,
			       "the first thread of process %d has ended, and the others cannot be "
			       "traced without it",
			       tid);
	if (state == 'Z')
		return err_set(err,
			       "process %d has ended, and only its parent has not taken note yet "
			       "(it is a zombie)",
			       tid);
	return err_set(err, "there is no process %d: it has ended, or the number is wrong", tid);
}

static int is_traced(pid_t tid, pid_t tracer, struct err *err)
{
	char comm[32];

	procfs_comm(tracer, comm, sizeof(comm));
	err_set(err, "process %d is traced already, by process %d (%s)", tid, tracer, comm);
	return err_hint(err, "a process can have one tracer: end that one first");
}

int refusal(pid_t tid, int why, struct err *err)
{
	char state = procfs_state(tid);
	uint64_t tracer = 0;

	if (why == ESRCH || state == 0 || state == 'Z' || state == 'X')
		return has_ended(tid, state, err);
	procfs_status(tid, "TracerPid:", false, &tracer);
	if (why == EPERM && tracer)
		return is_traced(tid, (pid_t)tracer, err);
	if (why == EPERM && is_of_kernel(tid))
		return err_set(err, "process %d is a thread of the kernel: it has no program", tid);
	if (why == EPERM || why == EACCES)
		return refusal_permission(tid, err);
	errno = why;
	err_errno(err, "process %d cannot be traced", tid);
	if (why == ENOSYS)
		return err_hint(err, "ptrace(2) is not permitted here: " CONTAINER);
	return -1;
}
