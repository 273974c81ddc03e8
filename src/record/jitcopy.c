/* SPDX-License-Identifier: MIT */
#include "record/jitcopy.h"

#include "base/num.h"
#include "base/procfs.h"
#include "base/str.h"
#include "record/entries.h"
#include "symbol/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where the map is. */
struct source {
	int root;    /* what the process sees as its root */
	uint64_t id; /* its pid, as it sees it */
	uid_t user;
};

/* The last number behind "NSpid:" is that of the innermost namespace (proc_pid_status(5)). */
static uint64_t inner_pid(int32_t pid)
{
	char text[16384], path[64], *line;
	uint64_t id = (uint64_t)pid;
	struct str rest;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	procfs_text(path, text, sizeof(text));
	line = strstr(text, "\nNSpid:");
	if (!line)
		return id;
	for (rest = str_of(line + 7); rest.n && rest.p[0] == '\t';) {
		rest = str_skip(rest, 1);
		if (!num_dec(&rest, &id))
			break;
	}
	return id;
}

/* Of a process that has ended its map may still be in our own /tmp. */
static struct source source_of(int32_t pid)
{
	struct source source = { .id = (uint64_t)pid, .user = geteuid() };
	char path[64];
	uint64_t user;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", pid);
	source.root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (source.root >= 0 && procfs_status(pid, "Uid:", false, &user)) {
		source.id = inner_pid(pid);
		source.user = (uid_t)user;
		return source;
	}
	if (source.root >= 0)
		close(source.root);
	source.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return source;
}

/* Links are followed as the process would, but for the last one. A FIFO is not waited for. */
static int open_map(const struct source *source)
{
	struct open_how how = {
		.flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[64];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "tmp/perf-%" PRIu64 ".map", source->id);
	fd = (int)syscall(SYS_openat2, source->root, path, &how, sizeof(how));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == source->user || st.st_uid == 0))
		return fd;
	close(fd);
	return -1;
}

/* False: it could not be written as a whole. */
static bool copy(int from, int to)
{
	size_t left = PERFMAP_BYTES_MAX;

	while (left) {
		ssize_t n = sendfile(to, from, NULL, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		left -= (size_t)n;
	}
	return true;
}

void jitcopy(int directory, int32_t pid)
{
	struct source source = source_of(pid);
	char name[ENTRY_MAP_NAME];
	int from, to;

	if (source.root < 0)
		return;
	from = open_map(&source);
	close(source.root);
	if (from < 0)
		return;
	entry_map_name(pid, name);
	to = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to >= 0) {
		/* half of a map would name what lies behind its end wrongly */
		if (!copy(from, to))
			unlinkat(directory, name, 0);
		close(to);
	}
	close(from);
}
