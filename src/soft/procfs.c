/* SPDX-License-Identifier: MIT */
#include "soft/procfs.h"

#include "base/num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer than /proc/TID/status is. */
#define TEXT_SIZE 8192

/* The beginning of a file, and a NUL; how long it is, 0: it cannot be read. */
static size_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static size_t read_of(pid_t tid, const char *what, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, what);
	return read_text(path, text, size);
}

bool procfs_status(pid_t tid, const char *field, bool hex, uint64_t *value)
{
	char text[TEXT_SIZE], *at;
	struct str rest;

	if (!read_of(tid, "status", text, sizeof(text)))
		return false;
	/* the first line is "Name:", which cannot hold a newline */
	for (at = strchr(text, '\n'); at; at = strchr(at, '\n'))
		if (strncmp(++at, field, strlen(field)) == 0)
			break;
	if (!at)
		return false;
	rest = str_of(at + strlen(field));
	while (rest.n && (rest.p[0] == '\t' || rest.p[0] == ' '))
		rest = str_skip(rest, 1);
	return hex ? num_hex(&rest, value) : num_dec(&rest, value);
}

char procfs_state(pid_t tid)
{
	char text[512];
	const char *end;

	if (!read_of(tid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

void procfs_comm(pid_t tid, char *comm, size_t size)
{
	size_t n = read_of(tid, "comm", comm, size);

	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
}

int procfs_threads(pid_t pid, void (*fn)(void *ctx, pid_t tid), void *ctx)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		uint64_t tid;

		if (num_dec(&name, &tid) && name.n == 0 && tid <= INT32_MAX)
			fn(ctx, (pid_t)tid);
	}
	closedir(dir);
	return 0;
}

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
	if (read_text("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope)) &&
	    scope[0] != '0')
		return err_hint(err,
				"kernel.yama.ptrace_scope is %c: set it to 0 (sysctl), or run "
				"magic-trace as root",
				scope[0]);
	return err_hint(err, "a program that is setuid, or has capabilities or secrets, is traced "
			     "by root only; a container needs --cap-add SYS_PTRACE");
}

int procfs_refused(pid_t tid, int why, struct err *err)
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
