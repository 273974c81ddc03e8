/* SPDX-License-Identifier: MIT */
#include "perf/sigcaught.h"

#include "base/num.h"
#include "perf/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* The line stands within the first 1,500 bytes, unless the process is in thousands of groups. */
#define STATUS_MAX 16384

static size_t read_status(pid_t pid, char buf[STATUS_MAX])
{
	char path[32];
	size_t n = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	do {
		got = read(fd, buf + n, STATUS_MAX - n);
		n += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	return n;
}

bool signal_is_caught(pid_t pid, int sig)
{
	char buf[STATUS_MAX];
	struct str text = { .p = buf, .n = read_status(pid, buf) }, word = STR("\nSigCgt:");
	const char *at = memmem(text.p, text.n, word.p, word.n);
	uint64_t mask;

	if (!at)
		return true;
	text = str_skip(text, (size_t)(at - text.p) + word.n);
	scan_blanks(&text);
	return !num_hex(&text, &mask) || (mask >> (sig - 1) & 1);
}
