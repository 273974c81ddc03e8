/* SPDX-License-Identifier: MIT */
#include "symbol/reader.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "symbol/confine.h"
#include "symbol/readerchild.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* No true table is larger. */
#define TABLE_MAX ((uint64_t)2 << 30)

/* One that has closed its socket is about to end. */
#define END_MS 2000

struct reader {
	pid_t pid; /* 0: it is dead */
	int socket;
	char *path;
	bool fetch, asked;
	struct reader_limits limits;
	int cpu;          /* what the request may take */
	int64_t deadline; /* in ms, of its answer */
};

int reader_start(int fd, const char *path, bool fetch, const struct reader_limits *limits,
		 struct reader **out, struct err *err)
{
	pid_t self = getpid(), pid;
	struct reader *reader;
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return err_errno(err, "%s: a socket to read it through", path);
	pid = fork();
	if (pid == 0) {
		struct readerchild child = {
			.socket = sockets[1],
			.fd = fd,
			.path = path,
			.fetch = fetch,
			.file_cpu = limits->file_cpu,
			.unit_cpu = limits->unit_cpu,
		};

		readerchild_run(&child, self);
	}
	close(sockets[1]);
	if (pid < 0) {
		err_errno(err, "%s: a process to read it", path);
		close(sockets[0]);
		return -1;
	}
	reader = xcalloc(1, sizeof(*reader));
	*reader = (struct reader){
		.pid = pid,
		.socket = sockets[0],
		.path = xstrdup(path),
		.fetch = fetch,
		.limits = *limits,
	};
	*out = reader;
	return 0;
}

/* How it ended; it is killed when it has not. */
static int end(struct reader *reader)
{
	int status = 0;

	if (reader->pid <= 0)
		return 0;
	close(reader->socket);
	kill(reader->pid, SIGKILL);
	while (waitpid(reader->pid, &status, 0) < 0 && errno == EINTR)
		;
	reader->pid = 0;
	return status;
}

void reader_stop(struct reader *reader)
{
	if (!reader)
		return;
	end(reader);
	free(reader->path);
	free(reader);
}

bool reader_is_dead(const struct reader *reader)
{
	return reader->pid <= 0;
}

/* Waits for it to end, but not for ever: it may have closed its socket and go on. */
static void await_end(const struct reader *reader)
{
	int fd = (int)syscall(SYS_pidfd_open, reader->pid, 0);
	struct pollfd poller = { .fd = fd, .events = POLLIN };

	if (fd < 0)
		return;
	poll(&poller, 1, END_MS);
	close(fd);
}

/* It answers no more: says why. */
static int died(struct reader *reader, struct err *err)
{
	int status;

	if (reader->pid <= 0)
		return err_set(err, "%s: reading it has failed before", reader->path);
	/* one that lives, and waits for us, ends */
	shutdown(reader->socket, SHUT_RDWR);
	await_end(reader);
	status = end(reader);
	if (WIFEXITED(status))
		return err_set(err, "%s: reading it failed: out of memory (limit: %llu GB)",
			       reader->path, (unsigned long long)(CONFINE_MEMORY >> 30));
	if (WTERMSIG(status) == SIGPROF)
		return err_set(err,
			       "%s: reading it did not end in %d s of CPU time: it is damaged, "
			       "or too large",
			       reader->path, reader->cpu / 1000);
	return err_set(err, "%s: reading it crashed (signal %d, %s): it is damaged", reader->path,
		       WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* The socket fails, errno says how: that need not be its end. Returns -1. */
static int lost(struct reader *reader, struct err *err)
{
	if (errno == EPIPE || errno == ECONNRESET)
		return died(reader, err);
	err_errno(err, "%s: the socket to the process that reads it", reader->path);
	end(reader);
	return -1;
}

/* Receives n bytes. -1 with err: it is dead. */
static int receive(struct reader *reader, void *bytes, size_t n, struct err *err)
{
	struct pollfd poller = { .fd = reader->socket, .events = POLLIN };
	char *p = bytes;

	while (n) {
		int64_t left = reader->deadline - monotonic_ms();
		int ready = poll(&poller, 1, left > 0 ? (int)left : 0);
		ssize_t got;

		if (ready <= 0) {
			/* what else has a handler while a trace is made wants it to end */
			err_set(err, "%s: reading it %s", reader->path,
				ready ? "was interrupted" : "took too long");
			end(reader);
			return -1;
		}
		got = recv(reader->socket, p, n, MSG_DONTWAIT);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (got < 0)
			return lost(reader, err);
		if (got == 0)
			return died(reader, err);
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

static int failed(struct reader *reader, size_t n, struct err *err)
{
	char message[sizeof(err->msg)];

	if (n >= sizeof(message)) {
		end(reader);
		return err_set(err, "%s: what is read of it is no table", reader->path);
	}
	if (receive(reader, message, n, err) < 0)
		return -1;
	return err_set(err, "%.*s", (int)n, message);
}

/* What the next request may take. */
static void set_limits(struct reader *reader, enum reader_request_kind kind)
{
	bool unit = kind == READER_REQUEST_UNIT && reader->asked;
	int wait = unit ? reader->limits.unit_wait : reader->limits.file_wait;

	if (reader->fetch && !unit)
		wait = READER_FETCH_WAIT;
	reader->cpu = unit ? reader->limits.unit_cpu : reader->limits.file_cpu;
	reader->deadline = monotonic_ms() + wait;
	/* a file without its debug info leaves that to the first unit */
	reader->asked |= kind != READER_REQUEST_BARE;
}

static int ask(struct reader *reader, const struct reader_request *request, struct blob *table,
	       bool *whole, struct err *err)
{
	struct reader_answer answer;

	set_limits(reader, request->kind);
	if (reader->pid <= 0)
		return died(reader, err);
	if (reader_send(reader->socket, request, sizeof(*request)) < 0)
		return lost(reader, err);
	if (receive(reader, &answer, sizeof(answer), err) < 0)
		return -1;
	if (answer.kind == READER_ANSWER_FAILED || answer.n > TABLE_MAX)
		return failed(reader, (size_t)answer.n, err);
	*table = (struct blob){ .p = xmalloc((size_t)answer.n),
				.n = (size_t)answer.n,
				.cap = (size_t)answer.n };
	*whole = answer.kind == READER_ANSWER_WHOLE;
	if (receive(reader, table->p, table->n, err) == 0)
		return 0;
	blob_fini(table);
	return -1;
}

int reader_file(struct reader *reader, bool bare, struct blob *table, struct err *err)
{
	struct reader_request request = { .kind = bare ? READER_REQUEST_BARE
						       : READER_REQUEST_FILE };
	bool whole;

	return ask(reader, &request, table, &whole, err);
}

int reader_unit(struct reader *reader, uint64_t unit, struct blob *table, bool *whole,
		struct err *err)
{
	struct reader_request request = { .kind = READER_REQUEST_UNIT, .unit = unit };

	return ask(reader, &request, table, whole, err);
}
