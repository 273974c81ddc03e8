/* SPDX-License-Identifier: MIT */
#include "symbol/reader.h"

#include "base/closefrom.h"
#include "base/xalloc.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"
#include "symbol/filebuild.h"
#include "symbol/unitbuild.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long an answer may take; servers of debug info need their time. */
#define PATIENCE_MS       90000
#define PATIENCE_FETCH_MS 600000

/* No true table is larger. */
#define TABLE_MAX ((uint64_t)2 << 30)

enum request_kind {
	REQUEST_FILE,
	REQUEST_UNIT,
};

struct request {
	uint64_t kind, unit;
};

enum answer_kind {
	ANSWER_FAILED, /* with a message */
	ANSWER_WHOLE,
	ANSWER_PART,
};

struct answer {
	uint64_t kind, n; /* n: bytes that follow */
};

struct reader {
	pid_t pid;
	int socket;
	char *path;
	bool fetch;
};

/* --- in the process of its own --- */

struct served {
	int socket, fd;
	const char *path;
	bool fetch;
	struct elffile *file;
	struct debuginfo info; /* its dwarf is NULL: there is none */
};

/* 0; or -1, when nobody reads or writes any more. */
static int send_all(int socket, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t sent = send(socket, p, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return -1;
		p += sent;
		n -= (size_t)sent;
	}
	return 0;
}

static int send_answer(int socket, enum answer_kind kind, const void *bytes, size_t n)
{
	struct answer answer = { .kind = kind, .n = n };

	if (send_all(socket, &answer, sizeof(answer)) < 0)
		return -1;
	return send_all(socket, bytes, n);
}

static int serve_file(struct served *s)
{
	int again = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	struct blob table = { 0 };
	struct err err = ERR_INIT;
	int failed;

	if (elffile_open(again, s->path, &s->file, &err) < 0)
		return send_answer(s->socket, ANSWER_FAILED, err.msg, strlen(err.msg));
	again = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	if (debuginfo_open(again, s->path, s->fetch, &s->info, &err) < 0)
		s->info = (struct debuginfo){ 0 };
	filebuild(s->fd, s->path, s->file, s->info.dwarf ? &s->info : NULL, &table);
	failed = send_answer(s->socket, ANSWER_WHOLE, table.p, table.n);
	blob_fini(&table);
	return failed;
}

static int serve_unit(struct served *s, uint64_t unit)
{
	static const char none[] = "there is no such unit";
	struct blob table = { 0 };
	bool whole;
	int failed;

	if (!s->info.dwarf || !unitbuild(&s->info, s->file, unit, &table, &whole))
		return send_answer(s->socket, ANSWER_FAILED, none, strlen(none));
	failed = send_answer(s->socket, whole ? ANSWER_WHOLE : ANSWER_PART, table.p, table.n);
	blob_fini(&table);
	return failed;
}

/* Obeys until nobody asks any more. */
static void serve(struct served *s)
{
	struct request request;
	int failed = 0;

	while (!failed &&
	       recv(s->socket, &request, sizeof(request), MSG_WAITALL) == sizeof(request)) {
		/* the units of a file are known when it was read */
		if (request.kind == REQUEST_FILE && !s->file)
			failed = serve_file(s);
		else if (request.kind == REQUEST_UNIT)
			failed = serve_unit(s, request.unit);
		else
			failed = -1;
	}
}

static void limit(int what, uint64_t value)
{
	struct rlimit limit = { .rlim_cur = value, .rlim_max = value };

	/* a lower one that was there stays */
	setrlimit(what, &limit);
}

/* Gives away what is our parent's, and most of what could do harm. */
static void confine(int *socket, int *fd)
{
	static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
				       SIGUSR2, SIGALRM, SIGPIPE, SIGCHLD };
	int sockets = fcntl(*socket, F_DUPFD, 10), file = fcntl(*fd, F_DUPFD, 10);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	if (sockets < 0 || file < 0 || null < 0)
		_exit(1);
	dup2(null, 0);
	dup2(null, 1);
	*socket = dup2(sockets, 3);
	*fd = dup2(file, 4);
	closefrom_fd(5);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* out of memory, the trace is not ours to remove */
	xalloc_on_fail(NULL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, READER_CPU_SECONDS);
#ifndef __SANITIZE_ADDRESS__
	/* which takes terabytes of addresses for itself */
	limit(RLIMIT_AS, READER_MEMORY);
#endif
}

static _Noreturn void run(struct served *s, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	confine(&s->socket, &s->fd);
	serve(s);
	_exit(0);
}

/* --- in ours --- */

int reader_start(int fd, const char *path, bool fetch, struct reader **out, struct err *err)
{
	pid_t self = getpid(), pid;
	struct reader *reader;
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
		return err_errno(err, "%s: a socket to read it through", path);
	pid = fork();
	if (pid == 0) {
		struct served served = {
			.socket = sockets[1], .fd = fd, .path = path, .fetch = fetch
		};

		run(&served, self);
	}
	close(sockets[1]);
	if (pid < 0) {
		err_errno(err, "%s: a process to read it", path);
		close(sockets[0]);
		return -1;
	}
	reader = xcalloc(1, sizeof(*reader));
	*reader = (struct reader){
		.pid = pid, .socket = sockets[0], .path = xstrdup(path), .fetch = fetch
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

/* It answers no more: says why. */
static int died(struct reader *reader, struct err *err)
{
	siginfo_t info = { 0 };
	int status, how = 0;

	if (reader->pid <= 0)
		return err_set(err, "%s: reading it has failed before", reader->path);
	/* it has closed its end of the socket, so it ends, if it has not */
	if (waitid(P_PID, (id_t)reader->pid, &info, WEXITED | WNOWAIT) == 0)
		how = info.si_code;
	status = end(reader);
	if (how == CLD_EXITED && WIFEXITED(status))
		return err_set(err, "%s: reading it failed: out of memory (limit: %llu GB)",
			       reader->path, (unsigned long long)(READER_MEMORY >> 30));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return err_set(err, "%s: reading it did not end in %d s of CPU time: it is damaged",
			       reader->path, READER_CPU_SECONDS);
	return err_set(err, "%s: reading it crashed (signal %d, %s): it is damaged", reader->path,
		       WTERMSIG(status), strsignal(WTERMSIG(status)));
}

/* Receives n bytes. -1 with err: it is of no more use. */
static int receive(struct reader *reader, void *bytes, size_t n, struct err *err)
{
	struct pollfd poller = { .fd = reader->socket, .events = POLLIN };
	char *p = bytes;

	while (n) {
		int ready = poll(&poller, 1, reader->fetch ? PATIENCE_FETCH_MS : PATIENCE_MS);
		ssize_t got;

		if (ready <= 0) {
			/* what else has a handler while a trace is made wants it to end */
			err_set(err, "%s: reading it %s", reader->path,
				ready ? "was interrupted" : "took too long");
			end(reader);
			return -1;
		}
		got = recv(reader->socket, p, n, 0);
		if (got <= 0)
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

static int ask(struct reader *reader, const struct request *request, struct blob *table,
	       bool *whole, struct err *err)
{
	struct answer answer;

	if (reader->pid <= 0 || send_all(reader->socket, request, sizeof(*request)) < 0)
		return died(reader, err);
	if (receive(reader, &answer, sizeof(answer), err) < 0)
		return -1;
	if (answer.kind == ANSWER_FAILED || answer.n > TABLE_MAX)
		return failed(reader, (size_t)answer.n, err);
	*table = (struct blob){ .p = xmalloc((size_t)answer.n),
				.n = (size_t)answer.n,
				.cap = (size_t)answer.n };
	*whole = answer.kind == ANSWER_WHOLE;
	if (receive(reader, table->p, table->n, err) == 0)
		return 0;
	blob_fini(table);
	return -1;
}

int reader_file(struct reader *reader, struct blob *table, struct err *err)
{
	struct request request = { .kind = REQUEST_FILE };
	bool whole;

	return ask(reader, &request, table, &whole, err);
}

int reader_unit(struct reader *reader, uint64_t unit, struct blob *table, bool *whole,
		struct err *err)
{
	struct request request = { .kind = REQUEST_UNIT, .unit = unit };

	return ask(reader, &request, table, whole, err);
}
