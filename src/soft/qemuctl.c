/* SPDX-License-Identifier: MIT */
#include "soft/qemuctl.h"

#include "base/num.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "soft/unixaddr.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longer than any line that the plugin sends. */
#define LINE_SIZE 2048

struct qemuctl {
	char *path;
	int listener, connection; /* -1: closed */
	int epoll;                /* of both */
	bool too_long;            /* the rest of a line is passed over */
	size_t n;
	char bytes[LINE_SIZE]; /* what has come and was not looked at */
};

/* --- the sockets --- */

static int make_listener(const char *path)
{
	struct sockaddr_un address;
	int dir, fd, error = 0;

	if (unixaddr_set(&address, path, &dir) < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* bind(2) makes the file with the mode of the socket: nobody else's for no moment */
	if (fd < 0 || fchmod(fd, 0600) < 0 ||
	    bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 4) < 0)
		error = errno;
	if (dir >= 0)
		close(dir);
	if (!error)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

static int watch(const struct qemuctl *ctl, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(ctl->epoll, EPOLL_CTL_ADD, fd, &event);
}

int qemuctl_open(const char *directory, struct qemuctl **out, struct err *err)
{
	struct qemuctl *ctl = xcalloc(1, sizeof(*ctl));

	ctl->path = xasprintf("%s/" QEMUCTL_SOCKET, directory);
	ctl->connection = -1;
	ctl->listener = make_listener(ctl->path);
	ctl->epoll = ctl->listener < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
	if (ctl->epoll < 0 || watch(ctl, ctl->listener) < 0) {
		err_errno(err, "cannot listen at %s", ctl->path);
		qemuctl_close(ctl);
		return -1;
	}
	*out = ctl;
	return 0;
}

static void hang_up(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void qemuctl_close(struct qemuctl *ctl)
{
	if (!ctl)
		return;
	if (ctl->listener >= 0)
		unlink(ctl->path);
	hang_up(&ctl->connection);
	hang_up(&ctl->listener);
	hang_up(&ctl->epoll);
	free(ctl->path);
	free(ctl);
}

const char *qemuctl_path(const struct qemuctl *ctl)
{
	return ctl->path;
}

int qemuctl_fd(const struct qemuctl *ctl)
{
	return ctl->epoll;
}

/* --- lines --- */

static bool take_word(struct str *s, struct str *word)
{
	const char *blank = memchr(s->p, ' ', s->n);

	if (s->n == 0)
		return false;
	*word = (struct str){ .p = s->p, .n = blank ? (size_t)(blank - s->p) : s->n };
	*s = str_skip(*s, word->n + 1);
	return word->n > 0;
}

static bool take_number(struct str *s, bool hex, uint64_t *v)
{
	struct str word;

	if (!take_word(s, &word))
		return false;
	return (hex ? num_hex_lower(&word, v) : num_dec(&word, v)) && word.n == 0;
}

static bool take_small(struct str *s, int64_t max, int64_t *v)
{
	uint64_t n;

	if (!take_number(s, false, &n) || n > (uint64_t)max)
		return false;
	*v = (int64_t)n;
	return true;
}

static bool take_pid(struct str *s, pid_t *pid)
{
	int64_t v;

	if (!take_small(s, INT_MAX, &v))
		return false;
	*pid = (pid_t)v;
	return true;
}

static bool take_image(struct str *s, unsigned int *image)
{
	int64_t v;

	if (!take_small(s, UINT_MAX, &v))
		return false;
	*image = (unsigned int)v;
	return true;
}

/* "1.250" */
static bool take_seconds(struct str *s, double *seconds)
{
	struct str word, digits;
	uint64_t whole, part = 0;
	double scale = 1;

	if (!take_word(s, &word) || !num_dec(&word, &whole))
		return false;
	if (word.n && word.p[0] == '.') {
		word = str_skip(word, 1);
		digits = word;
		if (!num_dec(&word, &part))
			return false;
		for (size_t i = 0; i < digits.n - word.n; i++)
			scale *= 10;
	}
	*seconds = (double)whole + (double)part / scale;
	return word.n == 0;
}

static bool read_bye(struct str s, struct recorder_stats *stats)
{
	return take_number(&s, false, &stats->instructions) &&
	       take_number(&s, false, &stats->branches) &&
	       take_number(&s, false, &stats->syscalls) &&
	       take_number(&s, false, &stats->threads) && take_number(&s, false, &stats->bytes) &&
	       take_seconds(&s, &stats->seconds) && s.n == 0;
}

static bool read_hit(struct str s, struct qemuctl_message *m)
{
	return take_number(&s, false, &m->time) && take_pid(&s, &m->pid) &&
	       take_number(&s, true, &m->ip) && take_number(&s, true, &m->di) &&
	       take_number(&s, true, &m->si) && s.n == 0;
}

static bool read_why(struct str s, char *why, size_t size)
{
	size_t n = s.n < size - 1 ? s.n : size - 1;

	for (size_t i = 0; i < n; i++)
		why[i] = (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f ? '?' : s.p[i];
	why[n] = '\0';
	return true;
}

static bool read_rest(struct str s, struct qemuctl_message *m)
{
	switch (m->kind) {
	case QEMUCTL_HELLO: return take_pid(&s, &m->pid) && take_image(&s, &m->image) && s.n == 0;
	case QEMUCTL_HIT: return read_hit(s, m);
	case QEMUCTL_BYE: return read_bye(s, &m->stats);
	case QEMUCTL_EXEC: return take_image(&s, &m->image) && s.n == 0;
	case QEMUCTL_UNTRACED:
	case QEMUCTL_FAILED: return read_why(s, m->why, sizeof(m->why));
	case QEMUCTL_DONE: return s.n == 0;
	case QEMUCTL_NOTHING:
	case QEMUCTL_GONE: break;
	}
	return false;
}

static bool read_line(struct str line, struct qemuctl_message *m)
{
	static const char *const words[] = {
		[QEMUCTL_HELLO] = "hello",       [QEMUCTL_HIT] = "hit",
		[QEMUCTL_BYE] = "bye",           [QEMUCTL_EXEC] = "exec",
		[QEMUCTL_UNTRACED] = "untraced", [QEMUCTL_FAILED] = "failed",
		[QEMUCTL_DONE] = "done",
	};
	struct str word;

	if (!take_word(&line, &word))
		return false;
	for (size_t i = QEMUCTL_HELLO; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!str_eq(word, str_of(words[i])))
			continue;
		*m = (struct qemuctl_message){ .kind = (enum qemuctl_kind)i };
		return read_rest(line, m);
	}
	return false;
}

/* A message from the lines that are there; false: none is whole. */
static bool next_of_buffer(struct qemuctl *ctl, struct qemuctl_message *m)
{
	const char *nl;

	while ((nl = memchr(ctl->bytes, '\n', ctl->n))) {
		struct str line = { .p = ctl->bytes, .n = (size_t)(nl - ctl->bytes) };
		bool good = !ctl->too_long && read_line(line, m);

		ctl->too_long = false;
		ctl->n -= line.n + 1;
		memmove(ctl->bytes, nl + 1, ctl->n);
		if (good)
			return true;
	}
	if (ctl->n == sizeof(ctl->bytes)) {
		ctl->too_long = true;
		ctl->n = 0;
	}
	return false;
}

/* The next one is waited for only when this one has gone. */
static bool connected(struct qemuctl *ctl)
{
	if (ctl->connection >= 0)
		return true;
	ctl->connection = accept4(ctl->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (ctl->connection < 0)
		return false;
	if (!unixaddr_is_trusted(ctl->connection)) {
		hang_up(&ctl->connection);
		return false;
	}
	ctl->n = 0;
	ctl->too_long = false;
	epoll_ctl(ctl->epoll, EPOLL_CTL_DEL, ctl->listener, NULL);
	if (watch(ctl, ctl->connection) == 0)
		return true;
	hang_up(&ctl->connection);
	return false;
}

void qemuctl_next(struct qemuctl *ctl, struct qemuctl_message *m)
{
	*m = (struct qemuctl_message){ .kind = QEMUCTL_NOTHING };
	if (!connected(ctl))
		return;
	while (!next_of_buffer(ctl, m)) {
		ssize_t got = recv(ctl->connection, ctl->bytes + ctl->n,
				   sizeof(ctl->bytes) - ctl->n, MSG_DONTWAIT);

		if (got < 0 && errno == EINTR)
			continue;
		*m = (struct qemuctl_message){ .kind = QEMUCTL_NOTHING };
		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return;
		if (got <= 0) {
			hang_up(&ctl->connection);
			watch(ctl, ctl->listener);
			m->kind = QEMUCTL_GONE;
			return;
		}
		ctl->n += (size_t)got;
	}
}

static int say(struct qemuctl *ctl, struct str line, struct err *err)
{
	ssize_t sent;

	if (!connected(ctl))
		return err_set(err, "the program does not run under QEMU yet, or any more");
	sent = send(ctl->connection, line.p, line.n, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent == (ssize_t)line.n)
		return 0;
	if (sent >= 0)
		errno = EAGAIN;
	return err_errno(err, "the program under QEMU cannot be told");
}

int qemuctl_snapshot(struct qemuctl *ctl, struct err *err)
{
	return say(ctl, STR("snapshot\n"), err);
}

int qemuctl_stop(struct qemuctl *ctl, struct err *err)
{
	return say(ctl, STR("stop\n"), err);
}
