/* SPDX-License-Identifier: MIT */
#include "perf/script.h"

#include "base/child.h"
#include "base/xalloc.h"
#include "perf/complaint.h"
#include "perf/position.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000
/* How often a kernel without pidfd_open(2) is asked whether perf has ended. */
#define ASK_MS      50
#define STDERR_READ 16384
/* What perf left in the pipe when it died; more comes from somebody else who holds it. */
#define STDERR_LEFT_MAX (1u << 20)

#define PT_FIELDS       "pid,tid,time,flags,ip,addr,sym,symoff,synth,dso,event,period"
#define SAMPLING_FIELDS "pid,tid,time,ip,sym,symoff,dso,event,period"
#define MAX_ARGV        16

struct perf_script {
	struct child child;
	struct complaints complaints;
	char *perf, *data; /* owned; for messages */
	unsigned int patience_ms;
	int wake;            /* an eventfd: perf_script_stop ends a poll with it */
	atomic_bool stopped; /* by perf_script_stop */
	bool output_ended;
	bool out_of_patience;
};

char **perf_script_argv(const struct perf_script_args *args)
{
	char **argv = xcalloc(MAX_ARGV, sizeof(*argv));
	size_t n = 0;

	argv[n++] = xstrdup(args->perf);
	argv[n++] = xstrdup("script");
	argv[n++] = xstrdup("-i");
	argv[n++] = xstrdup(args->data);
	argv[n++] = xstrdup("--ns");
	if (args->mode == PERF_PT)
		argv[n++] = xstrdup("--itrace=bep");
	argv[n++] = xstrdup("-F");
	argv[n++] = xstrdup(args->mode == PERF_PT ? PT_FIELDS : SAMPLING_FIELDS);
	if (args->mode == PERF_SAMPLING && args->stitch_lbr)
		argv[n++] = xstrdup("--stitch-lbr");
	if (args->symfs)
		argv[n++] = xasprintf("--symfs=%s", args->symfs);
	return argv;
}

void perf_script_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static int no_perf(const char *perf, struct err *err)
{
	err_errno(err, "cannot run %s", perf);
	return err_hint(
		err,
		"perf comes with the package linux-perf (Debian), linux-tools-$(uname -r) (Ubuntu) or perf (Fedora); MAGIC_TRACE_PERF_PATH names one that is somewhere else");
}

static void script_free(struct perf_script *ps)
{
	if (ps->wake >= 0)
		close(ps->wake);
	free(ps->perf);
	free(ps->data);
	free(ps);
}

int perf_script_start(const struct perf_script_args *args, struct perf_script **out,
		      struct err *err)
{
	/* perf starts a pager on bad arguments; its messages are matched by their English text */
	static const char *const env[] = { "PAGER=cat", "LC_ALL=C", NULL };
	char *path = child_find(args->perf), **argv;
	struct perf_script *ps;
	int failed = -1;

	if (!path)
		return no_perf(args->perf, err);
	ps = xcalloc(1, sizeof(*ps));
	ps->perf = xstrdup(args->perf);
	ps->data = xstrdup(args->data);
	ps->patience_ms = args->patience_ms ? args->patience_ms : PATIENCE_MS;
	ps->complaints.mode = args->mode;
	ps->complaints.on_line = args->on_stderr;
	ps->complaints.ctx = args->ctx;
	ps->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	argv = perf_script_argv(args);
	if (ps->wake < 0)
		err_errno(err, "cannot make an eventfd");
	else
		failed = child_start(&ps->child, path, argv, env, err);
	if (failed && errno == ENOENT)
		no_perf(args->perf, err);
	perf_script_argv_free(argv);
	free(path);
	if (failed)
		script_free(ps);
	else
		*out = ps;
	return failed;
}

/* Takes what perf has written to standard error; how much. */
static size_t drain(struct perf_script *ps)
{
	char buf[STDERR_READ];
	ssize_t n;

	do
		n = read(ps->child.err, buf, sizeof(buf));
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		complaints_add(&ps->complaints, buf, (size_t)n);
		return (size_t)n;
	}
	close(ps->child.err);
	ps->child.err = -1;
	return 0;
}

static bool is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

/*
 * Waits until there is something to read from standard output (with `out`) or error, perf has ended
 * or perf_script_stop was called, at most timeout ms (-1: for ever); takes what is on standard
 * error. Whether standard output can be read.
 */
static bool wait_for_perf(struct perf_script *ps, bool out, int timeout)
{
	struct pollfd fds[] = {
		{ .fd = out ? ps->child.out : -1, .events = POLLIN },
		{ .fd = ps->child.err, .events = POLLIN },
		{ .fd = ps->child.ended_fd, .events = POLLIN },
		{ .fd = ps->wake, .events = POLLIN },
	};

	if (ps->child.ended_fd < 0 && (timeout < 0 || timeout > ASK_MS))
		timeout = ASK_MS;
	if (poll(fds, sizeof(fds) / sizeof(fds[0]), timeout) <= 0)
		return false;
	if (fds[1].revents)
		drain(ps);
	return fds[0].revents != 0;
}

static ssize_t script_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct perf_script *ps = ctx;
	ssize_t n;

	while (!ps->output_ended) {
		if (atomic_load(&ps->stopped))
			return err_set(err, "decoding was stopped");
		/* whoever else holds the pipe when perf has ended has nothing to say */
		if (!wait_for_perf(ps, true, -1)) {
			if (child_ended(&ps->child) && !is_ready(ps->child.out))
				ps->output_ended = true;
			continue;
		}
		n = read(ps->child.out, buf, size);
		if (n > 0)
			return n;
		if (n < 0 && errno != EINTR)
			return err_errno(err, "cannot read what %s prints", ps->perf);
		ps->output_ended = n == 0;
	}
	return atomic_load(&ps->stopped) ? err_set(err, "decoding was stopped") : 0;
}

struct input perf_script_input(struct perf_script *ps)
{
	return (struct input){ .ctx = ps, .read = script_read };
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void perf_script_wait(struct perf_script *ps)
{
	int64_t deadline = now_ms() + ps->patience_ms;

	while (ps->output_ended && !ps->out_of_patience && !child_ended(&ps->child) &&
	       !atomic_load(&ps->stopped)) {
		int64_t left = deadline - now_ms();

		ps->out_of_patience = left <= 0;
		if (left > 0)
			wait_for_perf(ps, false, (int)left);
	}
	child_kill(&ps->child, SIGKILL);
}

static int explain(struct perf_script *ps, int status, struct err *err)
{
	const char *last = ps->complaints.last;
	const char *colon = *last ? ": " : "";

	if (ps->out_of_patience)
		err_set(err, "%s had printed all of %s and did not end%s%s", ps->perf, ps->data,
			colon, last);
	else if (!ps->output_ended)
		err_set(err, "%s was not read to the end of %s%s%s", ps->perf, ps->data, colon,
			last);
	else if (WIFSIGNALED(status))
		err_set(err, "%s was killed by signal %d (%s) while it read %s%s%s", ps->perf,
			WTERMSIG(status), strsignal(WTERMSIG(status)), ps->data, colon, last);
	else
		err_set(err, "%s could not read %s (exit status %d)%s%s", ps->perf, ps->data,
			WEXITSTATUS(status), colon, last);
	if (ps->complaints.hint)
		err_hint(err, "%s", ps->complaints.hint);
	return -1;
}

int perf_script_finish(struct perf_script *ps, struct err *err)
{
	int status, failed = 0;
	size_t left = 0;

	perf_script_wait(ps);
	while (left < STDERR_LEFT_MAX && is_ready(ps->child.err))
		left += drain(ps);
	status = child_reap(&ps->child);
	complaints_end(&ps->complaints);
	if (!atomic_load(&ps->stopped) && (ps->out_of_patience || !ps->output_ended || status != 0))
		failed = explain(ps, status, err);
	script_free(ps);
	return failed;
}

bool perf_script_position(const struct perf_script *ps, uint64_t *bytes)
{
	return position_of(ps->child.pid, ps->data, bytes);
}

void perf_script_stop(struct perf_script *ps)
{
	int saved = errno;
	uint64_t one = 1;

	atomic_store(&ps->stopped, true);
	child_kill(&ps->child, SIGKILL);
	if (write(ps->wake, &one, sizeof(one)) < 0)
		errno = saved; /* the counter is full: it is awake */
	errno = saved;
}
