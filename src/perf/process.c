/* SPDX-License-Identifier: MIT */
#include "perf/process.h"

#include "base/child.h"
#include "base/monotonic.h"
#include "base/xalloc.h"
#include "perf/complaint.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How often a kernel without pidfd_open(2) is asked whether perf has ended. */
#define ASK_MS    50
#define READ_SIZE 16384
/* What perf left in the pipe when it died; more comes from somebody else who holds it. */
#define LEFT_MAX (1u << 20)
/*
 * perf writes a page at a time, and would wake us for each. So we ask for a pipe that takes it some
 * 5 ms to fill (perf prints at most 200 MB/s), and look after it once a millisecond.
 */
#define PIPE_SIZE (1u << 20)
#define LULL_MS   1
/* When a read got more than this, we are late, or perf is fast: no waiting then. */
#define LULL_MAX (PIPE_SIZE / 8)

struct perf_process {
	struct child child;
	struct complaints complaints;
	char *perf;          /* owned; for messages */
	int wake;            /* an eventfd: perf_process_stop ends a poll with it */
	atomic_bool stopped; /* by perf_process_stop */
	bool roomy;          /* its standard output is a pipe of PIPE_SIZE */
	bool lull;           /* there was little to read: let more come */
	bool reaped;
};

static int no_perf(const char *perf, struct err *err)
{
	int why = errno;

	err_errno(err, "cannot run %s", perf);
	if (why == EACCES && geteuid() == 0 && !strchr(perf, '/'))
		return err_hint(err, "root runs no perf that everybody may change, nor one of a "
				     "relative directory in PATH; MAGIC_TRACE_PERF_PATH names one");
	return err_hint(
		err,
		"perf comes with the package linux-perf (Debian), linux-tools-$(uname -r) (Ubuntu) or perf (Fedora); MAGIC_TRACE_PERF_PATH names one that is somewhere else");
}

static void process_free(struct perf_process *p)
{
	if (p->wake >= 0)
		close(p->wake);
	free(p->perf);
	free(p);
}

int perf_process_start(const struct perf_process_args *args, struct perf_process **out,
		       struct err *err)
{
	/* perf starts a pager on bad arguments; its messages are matched by their English text */
	static const char *const env[] = { "PAGER=cat", "LC_ALL=C", NULL };
	char *path = child_find_tool(args->argv[0]);
	struct perf_process *p;
	int failed = -1;

	if (!path)
		return no_perf(args->argv[0], err);
	p = xcalloc(1, sizeof(*p));
	p->perf = xstrdup(args->argv[0]);
	p->complaints.mode = args->mode;
	p->complaints.on_line = args->on_stderr;
	p->complaints.ctx = args->ctx;
	p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->wake < 0)
		err_errno(err, "cannot make an eventfd");
	else
		failed = child_start(&p->child, path, args->argv, env, args->pass, args->n_pass,
				     err);
	if (failed && errno == ENOENT)
		no_perf(args->argv[0], err);
	free(path);
	if (failed) {
		process_free(p);
		return failed;
	}
	p->roomy = fcntl(p->child.out, F_SETPIPE_SZ, PIPE_SIZE) >= (int)PIPE_SIZE;
	*out = p;
	return 0;
}

pid_t perf_process_pid(const struct perf_process *p)
{
	return p->child.pid;
}

/* Reads once, and closes *fd when there will be no more; how much. */
static size_t read_some(int *fd, char buf[READ_SIZE])
{
	ssize_t n;

	do
		n = read(*fd, buf, READ_SIZE);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return (size_t)n;
	close(*fd);
	*fd = -1;
	return 0;
}

/* Takes what perf has written to standard error; how much. */
static size_t take_complaints(struct perf_process *p)
{
	char buf[READ_SIZE];
	size_t n = read_some(&p->child.err, buf);

	if (n)
		complaints_add(&p->complaints, buf, n);
	return n;
}

static bool is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

/*
 * Waits until there is something to read from standard output (with `out`) or error, perf has ended
 * or perf_process_stop was called, at most timeout ms (-1: for ever); takes what is on standard
 * error. Whether standard output can be read.
 */
static bool wait_for_perf(struct perf_process *p, bool out, int timeout)
{
	struct pollfd fds[] = {
		{ .fd = out ? p->child.out : -1, .events = POLLIN },
		{ .fd = p->child.err, .events = POLLIN },
		{ .fd = p->child.ended_fd, .events = POLLIN },
		{ .fd = p->wake, .events = POLLIN },
	};

	if (p->child.ended_fd < 0 && (timeout < 0 || timeout > ASK_MS))
		timeout = ASK_MS;
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout) <= 0)
		return false;
	if (fds[1].revents)
		take_complaints(p);
	return fds[0].revents != 0;
}

ssize_t perf_process_read(struct perf_process *p, void *buf, size_t size, struct err *err)
{
	if (p->lull)
		wait_for_perf(p, false, LULL_MS);
	while (!perf_process_stopped(p)) {
		ssize_t n = 0;

		if (wait_for_perf(p, true, -1))
			n = read(p->child.out, buf, size);
		else if (!child_ended(&p->child) || is_ready(p->child.out))
			continue;
		/* else somebody holds the pipe who, now that perf has ended, has nothing to say */
		p->lull = p->roomy && n <= (ssize_t)LULL_MAX;
		if (n > 0)
			return n;
		if (n == 0)
			break;
		if (errno != EINTR)
			return err_errno(err, "cannot read what %s prints", p->perf);
	}
	return perf_process_stopped(p) ? err_set(err, "%s was stopped", p->perf) : 0;
}

bool perf_process_wait(struct perf_process *p, unsigned int ms)
{
	int64_t deadline = monotonic_ms() + ms;

	while (!child_ended(&p->child) && !perf_process_stopped(p)) {
		int64_t left = deadline - monotonic_ms();

		if (left <= 0)
			return false;
		wait_for_perf(p, false, left > INT32_MAX ? INT32_MAX : (int)left);
	}
	return true;
}

void perf_process_poll(const struct perf_process *p, struct pollfd fds[PERF_PROCESS_FDS])
{
	fds[0] = (struct pollfd){ .fd = p->child.out, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = p->child.err, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = p->child.ended_fd, .events = POLLIN };
}

void perf_process_drain(struct perf_process *p)
{
	char buf[READ_SIZE];

	if (is_ready(p->child.out))
		read_some(&p->child.out, buf);
	if (is_ready(p->child.err))
		take_complaints(p);
}

bool perf_process_tells_end(const struct perf_process *p)
{
	return p->child.ended_fd >= 0;
}

bool perf_process_ended(const struct perf_process *p)
{
	return child_ended(&p->child);
}

void perf_process_signal(struct perf_process *p, int sig)
{
	child_kill(&p->child, sig);
}

void perf_process_stop(struct perf_process *p)
{
	int saved = errno;
	uint64_t one = 1;

	atomic_store(&p->stopped, true);
	child_kill(&p->child, SIGKILL);
	if (write(p->wake, &one, sizeof(one)) < 0)
		errno = saved; /* the counter is full: it is awake */
	errno = saved;
}

bool perf_process_stopped(const struct perf_process *p)
{
	return atomic_load(&p->stopped);
}

int perf_process_reap(struct perf_process *p)
{
	size_t left = 0;
	int status;

	child_kill(&p->child, SIGKILL);
	while (left < LEFT_MAX && is_ready(p->child.err))
		left += take_complaints(p);
	status = child_reap(&p->child);
	complaints_end(&p->complaints);
	p->reaped = true;
	return status;
}

int perf_process_fail(const struct perf_process *p, struct err *err, const char *fmt, ...)
{
	const struct complaints *c = &p->complaints;
	const char *words = *c->telling ? c->telling : c->last;
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	err_set(err, "%s%s%s", what, *words ? ": " : "", words);
	if (c->hint)
		err_hint(err, "%s", c->hint);
	return -1;
}

void perf_process_free(struct perf_process *p)
{
	if (!p)
		return;
	if (!p->reaped)
		perf_process_reap(p);
	process_free(p);
}
