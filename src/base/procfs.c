/* SPDX-License-Identifier: MIT */
#include "base/procfs.h"

#include "base/num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer than /proc/TID/status is, unless the process is in thousands of groups. */
#define TEXT_SIZE 16384

size_t procfs_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	text[0] = '\0';
	if (fd < 0)
		return 0;
	/* the kernel hands out some files a piece at a time */
	do {
		got = read(fd, text + n, size - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	} while (n < size - 1 && (got > 0 || (got < 0 && errno == EINTR)));
	close(fd);
	text[n] = '\0';
	return n;
}

static size_t read_of(pid_t tid, const char *what, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, what);
	return procfs_text(path, text, size);
}

bool procfs_status(pid_t tid, const char *field, bool hex, uint64_t *value)
{
	char text[TEXT_SIZE], *at;
	struct str rest;

	if (!read_of(tid, "status", text, sizeof(text)))
		return false;
	/* the first line is "Name:", which cannot hold a newline */
	for (at = strchr(text, '\n'); at; at = strchr(at, '\n'))
		if (strncmp(++at, field, strlen(field)) == 0)
			break;
	if (!at)
		return false;
	rest = str_of(at + strlen(field));
	while (rest.n && (rest.p[0] == '\t' || rest.p[0] == ' '))
		rest = str_skip(rest, 1);
	return hex ? num_hex(&rest, value) : num_dec(&rest, value);
}

char procfs_state(pid_t tid)
{
	char text[512];
	const char *end;

	if (!read_of(tid, "stat", text, sizeof(text)))
		return 0;
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

void procfs_comm(pid_t tid, char *comm, size_t size)
{
	size_t n = read_of(tid, "comm", comm, size);

	if (n && comm[n - 1] == '\n')
		comm[n - 1] = '\0';
}

int procfs_threads(pid_t pid, bool (*fn)(void *ctx, pid_t tid), void *ctx)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		uint64_t tid;

		if (num_dec(&name, &tid) && name.n == 0 && tid <= INT32_MAX && !fn(ctx, (pid_t)tid))
			break;
	}
	closedir(dir);
	return 0;
}
