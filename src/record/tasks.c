/* SPDX-License-Identifier: MIT */
#include "record/tasks.h"

#include "base/num.h"
#include "base/procfs.h"
#include "base/str.h"
#include "base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND_LINE_MAX (64u << 10)

/* A thread of the kernel: PF_KTHREAD of the kernel's include/linux/sched.h. */
#define FLAG_KTHREAD 0x00200000

/* At most size bytes of the file, NUL behind them (buf has size + 1); -1 with errno. */
static ssize_t read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), why;
	size_t n = 0;
	ssize_t r;

	if (fd < 0)
		return -1;
	do {
		r = read(fd, buf + n, size - n);
		n += r > 0 ? (size_t)r : 0;
	} while ((r > 0 && n < size) || (r < 0 && errno == EINTR));
	why = errno;
	close(fd);
	errno = why;
	buf[n] = '\0';
	return r < 0 && n == 0 ? -1 : (ssize_t)n;
}

/* Of /proc/PID/stat: the letter of the state, the PF_ flags, the number of threads. */
struct stat_line {
	char state;
	uint64_t flags, n_threads;
};

static int read_stat(pid_t pid, struct stat_line *line)
{
	char path[64], text[1024];
	struct str s;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (read_file(path, text, sizeof(text) - 1) < 0)
		return -1;
	/* the second field is the comm, which may hold brackets and blanks itself */
	s = str_of(strrchr(text, ')') ? strrchr(text, ')') + 1 : "");
	*line = (struct stat_line){ .state = '?' };
	for (unsigned int field = 3; field <= 20 && s.n > 1; field++) {
		s = str_skip(s, 1);
		if (field == 3)
			line->state = *s.p;
		else if (field == 9)
			num_dec(&s, &line->flags);
		else if (field == 20)
			num_dec(&s, &line->n_threads);
		while (s.n && *s.p != ' ')
			s = str_skip(s, 1);
	}
	return 0;
}

pid_t task_tgid(pid_t tid)
{
	uint64_t tgid;

	if (tid < 1 || !procfs_status(tid, "Tgid:", false, &tgid) || tgid > INT_MAX)
		return 0;
	return (pid_t)tgid;
}

bool task_is_alive(pid_t pid)
{
	struct stat_line line;

	if (pid < 1)
		return false;
	/* with the mount option hidepid, /proc does not show the processes of others */
	if (read_stat(pid, &line) < 0)
		return kill(pid, 0) == 0 || errno == EPERM;
	if (line.state != 'Z' && line.state != 'X')
		return true;
	/* a first thread that has ended is a zombie while others run */
	return line.n_threads > 1 && task_tgid(pid) == pid;
}

bool task_is_kernel(pid_t pid)
{
	struct stat_line line;

	return pid > 0 && read_stat(pid, &line) == 0 && (line.flags & FLAG_KTHREAD);
}

static int compare(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

struct tids {
	pid_t *list;
	size_t n, cap;
};

static bool add_tid(void *ctx, pid_t tid)
{
	struct tids *tids = ctx;

	if (tids->n == tids->cap) {
		tids->cap = tids->cap ? 2 * tids->cap : 16;
		tids->list = xreallocarray(tids->list, tids->cap, sizeof(*tids->list));
	}
	tids->list[tids->n++] = tid;
	return true;
}

/* What /proc/PID/task has in it, sorted, for free(); *n is 0, with errno, when there is none. */
static pid_t *list(pid_t pid, size_t *n)
{
	struct tids tids = { .n = 0 };

	if (procfs_threads(pid, add_tid, &tids) == 0 && !tids.n)
		errno = ESRCH; /* it ended meanwhile */
	*n = tids.n;
	if (tids.n)
		qsort(tids.list, tids.n, sizeof(*tids.list), compare);
	return tids.list;
}

int tasks_list(pid_t pid, pid_t **tids, size_t *n, struct err *err)
{
	*tids = list(pid, n);
	if (*n)
		return 0;
	if (errno != ENOENT && errno != ESRCH)
		return err_errno(err, "the threads of process %d cannot be listed", (int)pid);
	err_set(err, "there is no process %d", (int)pid);
	return err_hint(err, "`ps -e` lists those that are there");
}

/* Without the newline that the kernel puts behind it; NULL when there is no such thread. */
static char *read_comm(pid_t pid, pid_t tid)
{
	/* 15 bytes; of the kernel's own workers, what they work on is added, up to 63 */
	char path[64], text[128];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	n = read_file(path, text, sizeof(text) - 1);
	if (n < 0)
		return NULL;
	if (n > 0 && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return xstrdup(text);
}

/* NULL when there is none: of a thread of the kernel, of a zombie, or overwritten with nothing. */
static char *read_command_line(pid_t pid)
{
	char path[64], *text = xmalloc(COMMAND_LINE_MAX + 1);
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	n = read_file(path, text, COMMAND_LINE_MAX);
	/* a NUL ends each argument; programs that rewrite theirs fill up with them */
	while (n > 0 && text[n - 1] == '\0')
		n--;
	if (n <= 0) {
		free(text);
		return NULL;
	}
	for (ssize_t i = 0; i < n; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	text[n] = '\0';
	return xreallocarray(text, (size_t)n + 1, 1);
}

int tasks_collect(struct recording *rec, pid_t pid)
{
	char *command_line, *comm;
	pid_t *tids;
	size_t n;

	tids = list(pid, &n);
	if (n == 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		comm = read_comm(pid, tids[i]);
		if (comm)
			recording_add_thread(rec, pid, tids[i], comm);
		free(comm);
	}
	free(tids);
	command_line = read_command_line(pid);
	if (!command_line && !recording_command_line(rec, pid) && recording_comm(rec, pid, pid))
		command_line = xasprintf("[%s]", recording_comm(rec, pid, pid));
	recording_add_process(rec, pid, command_line);
	free(command_line);
	return 0;
}

/* Whether a file of this very name is what pid executes: then nothing was added to it. */
static bool is_same_file(const char *path, const char *link)
{
	struct stat named, executed;

	return stat(path, &named) == 0 && stat(link, &executed) == 0 &&
	       named.st_dev == executed.st_dev && named.st_ino == executed.st_ino;
}

int task_executable(pid_t pid, char **path)
{
	static const char deleted[] = " (deleted)";
	/* as long as a path can be, with what is added, and a byte to see that it was longer */
	size_t size = PATH_MAX + sizeof(deleted), n;
	char link[64], *target = xmalloc(size + 1);
	ssize_t r;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	r = readlink(link, target, size);
	if (r < 0 || (size_t)r == size) {
		int why = r < 0 ? errno : ENAMETOOLONG;

		free(target);
		errno = why;
		return -1;
	}
	n = (size_t)r;
	target[n] = '\0';
	if (n > strlen(deleted) && strcmp(target + n - strlen(deleted), deleted) == 0 &&
	    !is_same_file(target, link))
		target[n - strlen(deleted)] = '\0';
	*path = target;
	return 0;
}
