/* SPDX-License-Identifier: MIT */
#include "soft/plugin/link.h"

#include "soft/highfd.h"
#include "soft/unixaddr.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1600

/* How long a program waits for a controller that does not read. */
#define PATIENCE_S 5

int link_connect(const char *path, struct err *err)
{
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_un address;
	int dir, fd = -1, failed;

	if (unixaddr_set(&address, path, &dir) == 0) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		failed = fd < 0 ||
			 connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
			 !unixaddr_is_trusted(fd);
		if (failed && fd >= 0) {
			int error = errno;

			close(fd);
			errno = error;
			fd = -1;
		}
		if (dir >= 0)
			close(dir);
	}
	if (fd < 0)
		return err_errno(err, "cannot connect to %s", path);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return highfd_move(fd);
}

void link_say(int fd, const char *fmt, ...)
{
	char line[LINE_MAX_BYTES];
	size_t n, done = 0;
	va_list args;
	int wrote;

	if (fd < 0)
		return;
	va_start(args, fmt);
	wrote = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	if (wrote < 0)
		return;
	n = (size_t)wrote < sizeof(line) - 2 ? (size_t)wrote : sizeof(line) - 2;
	for (size_t i = 0; i < n; i++)
		if (line[i] == '\n')
			line[i] = ' ';
	line[n++] = '\n';
	while (done < n) {
		ssize_t sent = send(fd, line + done, n - done, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return;
		done += sent > 0 ? (size_t)sent : 0;
	}
}

int link_listen(int fd, char *line, size_t size)
{
	size_t n = 0;
	ssize_t got;
	char c;

	for (;;) {
		got = recv(fd, &c, 1, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		if (c == '\n')
			break;
		if (n + 1 < size)
			line[n++] = c;
	}
	line[n] = '\0';
	return 0;
}
