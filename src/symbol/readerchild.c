/* SPDX-License-Identifier: MIT */
#include "symbol/readerchild.h"

#include "base/err.h"
#include "symbol/confine.h"
#include "symbol/debuginfo.h"
#include "symbol/elffile.h"
#include "symbol/filebuild.h"
#include "symbol/unitbuild.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct served {
	struct readerchild given;
	struct elffile *file;  /* NULL: not open */
	bool tried;            /* whether there is debug info is known */
	struct debuginfo info; /* its dwarf is NULL: there is none */
};

int reader_send(int socket, const void *bytes, size_t n)
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

static int answer(const struct served *s, enum reader_answer_kind kind, const void *bytes, size_t n)
{
	struct reader_answer head = { .kind = kind, .n = n };

	if (reader_send(s->given.socket, &head, sizeof(head)) < 0)
		return -1;
	return reader_send(s->given.socket, bytes, n);
}

static int open_file(struct served *s, struct err *err)
{
	if (s->file)
		return 0;
	return elffile_open(fcntl(s->given.fd, F_DUPFD_CLOEXEC, 0), s->given.path, &s->file, err);
}

static void open_info(struct served *s)
{
	int again;

	if (s->tried)
		return;
	s->tried = true;
	again = fcntl(s->given.fd, F_DUPFD_CLOEXEC, 0);
	if (debuginfo_open(again, s->given.path, s->given.fetch, &s->info, NULL) < 0)
		s->info = (struct debuginfo){ 0 };
}

static int serve_file(struct served *s, bool bare)
{
	struct blob table = { 0 };
	struct err err = ERR_INIT;
	int failed;

	confine_cpu(s->given.file_cpu);
	if (open_file(s, &err) < 0)
		return answer(s, READER_ANSWER_FAILED, err.msg, strlen(err.msg));
	if (!bare)
		open_info(s);
	filebuild(s->given.fd, s->given.path, s->file, s->info.dwarf ? &s->info : NULL, &table);
	failed = answer(s, READER_ANSWER_WHOLE, table.p, table.n);
	blob_fini(&table);
	return failed;
}

/* The file need not have been asked for: the cache may have its table. */
static int serve_unit(struct served *s, uint64_t unit)
{
	struct blob table = { 0 };
	struct err err = ERR_INIT;
	bool whole;
	int failed;

	confine_cpu(s->tried ? s->given.unit_cpu : s->given.file_cpu);
	if (open_file(s, &err) < 0)
		return answer(s, READER_ANSWER_FAILED, err.msg, strlen(err.msg));
	open_info(s);
	if (!s->info.dwarf || !unitbuild(&s->info, s->file, unit, &table, &whole)) {
		err_set(&err, "%s: its debug info has no unit at 0x%" PRIx64, s->given.path, unit);
		return answer(s, READER_ANSWER_FAILED, err.msg, strlen(err.msg));
	}
	failed = answer(s, whole ? READER_ANSWER_WHOLE : READER_ANSWER_PART, table.p, table.n);
	blob_fini(&table);
	return failed;
}

static void serve(struct served *s)
{
	struct reader_request request;
	int failed = 0;

	while (!failed &&
	       recv(s->given.socket, &request, sizeof(request), MSG_WAITALL) == sizeof(request)) {
		switch (request.kind) {
		case READER_REQUEST_FILE: failed = serve_file(s, false); break;
		case READER_REQUEST_BARE: failed = serve_file(s, true); break;
		case READER_REQUEST_UNIT: failed = serve_unit(s, request.unit); break;
		default: failed = -1;
		}
	}
}

_Noreturn void readerchild_run(const struct readerchild *given, pid_t parent)
{
	struct served s = { .given = *given };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	confine(&s.given.socket, &s.given.fd, s.given.fetch);
	serve(&s);
	_exit(0);
}
