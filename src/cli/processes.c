/* SPDX-License-Identifier: MIT */
#include "cli/processes.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "cli/choose.h"
#include "cli/console.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the flags of a task: it is the kernel's (include/linux/sched.h). */
#define PF_KTHREAD 0x00200000u
/* Of /proc/PID/stat (proc(5)), counted from the state, which is behind the comm. */
#define STAT_FLAGS 6
#define STAT_UTIME 11
#define STAT_STIME 12
/* A command line in the list; longer ones are cut. */
#define COMMAND_MAX 2048
#define STAT_MAX    1024
#define USER_WIDTH  12

static bool parse_pid(const char *name, pid_t *pid)
{
	struct str s = str_of(name);
	uint64_t v;

	if (!num_dec(&s, &v) || s.n || v == 0 || v > INT_MAX)
		return false;
	*pid = (pid_t)v;
	return true;
}

/* Reads a file of the process, at most size - 1 bytes, with a NUL behind; how many, or -1. */
static ssize_t read_file(int proc, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[64];
	size_t n = 0;
	ssize_t got = 0;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", pid, name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	while (n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	buf[n] = '\0';
	return got < 0 ? -1 : (ssize_t)n;
}

/* What /proc/PID/stat says: "PID (COMM) STATE NUMBERS...". A comm may hold anything. */
struct stat_line {
	struct str comm;
	char state;
	uint64_t flags, utime, stime; /* times in clock ticks */
};

/* Takes a blank and a word that is a number (or "-1" and the like: 0) off s. */
static uint64_t next_number(struct str *s)
{
	uint64_t v = 0;

	while (s->n && *s->p == ' ')
		*s = str_skip(*s, 1);
	if (!num_dec(s, &v))
		v = 0;
	while (s->n && *s->p != ' ')
		*s = str_skip(*s, 1);
	return v;
}

static bool parse_stat(struct stat_line *stat, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	struct str s;

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	*stat = (struct stat_line){
		.comm = { .p = open + 1, .n = (size_t)(close - open - 1) },
		.state = close[2],
	};
	s = str_of(close + 3);
	for (int field = 1; field <= STAT_STIME; field++) {
		uint64_t v = next_number(&s);

		if (field == STAT_FLAGS)
			stat->flags = v;
		else if (field == STAT_UTIME)
			stat->utime = v;
		else if (field == STAT_STIME)
			stat->stime = v;
	}
	return true;
}

/* The arguments, each of which ends in a NUL, with blanks between. */
static char *read_command(int proc, pid_t pid, struct str comm)
{
	char buf[COMMAND_MAX];
	ssize_t n = read_file(proc, pid, "cmdline", buf, sizeof(buf));

	while (n > 0 && buf[n - 1] == '\0')
		n--;
	if (n <= 0)
		return xasprintf("[%.*s]", (int)comm.n, comm.p);
	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] == '\0')
			buf[i] = ' ';
	}
	return xmemdup0(buf, (size_t)n);
}

/* Adds the process unless it is none to choose, or has gone meanwhile. */
static void add(struct processes *processes, int proc, pid_t pid, bool kernel_threads)
{
	char buf[STAT_MAX], name[32];
	struct stat_line line;
	long ticks = sysconf(_SC_CLK_TCK);
	struct stat st;

	snprintf(name, sizeof(name), "%d", pid);
	if (fstatat(proc, name, &st, 0) < 0 || read_file(proc, pid, "stat", buf, sizeof(buf)) < 0 ||
	    !parse_stat(&line, buf))
		return;
	if (line.state == 'Z' || line.state == 'X' || (line.flags & PF_KTHREAD && !kernel_threads))
		return;
	processes->list = xreallocarray(processes->list, processes->n + 1, sizeof(struct process));
	processes->list[processes->n++] = (struct process){
		.pid = pid,
		.uid = st.st_uid,
		.cpu_seconds = (line.utime + line.stime) / (ticks > 0 ? (uint64_t)ticks : 100),
		.command = read_command(proc, pid, line.comm),
	};
}

static int compare(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return (p->pid > q->pid) - (p->pid < q->pid);
}

int processes_read(const char *proc, bool kernel_threads, struct processes *processes,
		   struct err *err)
{
	struct dirent *entry;
	pid_t pid;
	DIR *dir = opendir(proc);

	*processes = (struct processes){ .n = 0 };
	if (!dir)
		return err_errno(err, "%s", proc);
	while ((entry = readdir(dir))) {
		if (parse_pid(entry->d_name, &pid) && pid != getpid())
			add(processes, dirfd(dir), pid, kernel_threads);
	}
	closedir(dir);
	if (processes->n)
		qsort(processes->list, processes->n, sizeof(*processes->list), compare);
	return 0;
}

void processes_free(struct processes *processes)
{
	for (size_t i = 0; i < processes->n; i++)
		free(processes->list[i].command);
	free(processes->list);
	*processes = (struct processes){ .n = 0 };
}

const char *processes_header(void)
{
	return "    PID USER              CPU COMMAND";
}

static void format_user(char *buf, size_t size, uid_t uid)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(buf, size, "%s", user->pw_name);
	else
		snprintf(buf, size, "%u", uid);
}

void processes_write(const struct processes *processes, FILE *to)
{
	char user[64] = "", command[4 * COMMAND_MAX];
	uid_t of = (uid_t)-1;

	for (size_t i = 0; i < processes->n && !ferror(to); i++) {
		const struct process *p = &processes->list[i];

		if (i == 0 || p->uid != of)
			format_user(user, sizeof(user), p->uid);
		of = p->uid;
		console_escape(command, sizeof(command), str_of(p->command));
		fprintf(to, "%7d %-*.*s %5" PRIu64 ":%02" PRIu64 " %s\n", p->pid, USER_WIDTH,
			USER_WIDTH, user, p->cpu_seconds / 60, p->cpu_seconds % 60, command);
	}
}

static void write_list(void *ctx, FILE *to)
{
	processes_write(ctx, to);
}

static int parse_line(const char *line, pid_t *pid, struct err *err)
{
	struct str s = str_of(line + strspn(line, " "));
	uint64_t v;

	if (!num_dec(&s, &v) || v == 0 || v > INT_MAX || !str_starts(s, STR(" ")))
		return err_set(err, "fzf gave '%s', which is no line of the list", line);
	*pid = (pid_t)v;
	return 0;
}

int processes_choose(bool kernel_threads, pid_t *pid, struct err *err)
{
	struct processes processes;
	struct choose question = {
		.prompt = "process> ",
		.header = processes_header(),
		.flag = "-pid PID",
		.write = write_list,
		.ctx = &processes,
	};
	char *line;
	int failed;

	if (processes_read("/proc", kernel_threads, &processes, err) < 0)
		return -1;
	failed = choose(&question, &line, err);
	processes_free(&processes);
	if (failed)
		return -1;
	failed = parse_line(line, pid, err);
	free(line);
	return failed;
}
