/* SPDX-License-Identifier: MIT */
#include "record/handover.h"

#include "base/invoker.h"
#include "record/entries.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* perf.data/kcore_dir__PID/file is as deep as perf goes. */
#define DEPTH_MAX 8

static void give_all(int fd, unsigned int depth);

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static void give(int dir, const char *name, unsigned int depth)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat outer, st;

	if (fd < 0)
		return;
	if (fstat(dir, &outer) == 0 && fstat(fd, &st) == 0 && st.st_dev == outer.st_dev) {
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			give_all(fd, depth + 1);
		if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && st.st_nlink == 1))
			invoker_give(fd);
	}
	close(fd);
}

static bool is_wanted(const char *name, unsigned int depth)
{
	if (depth > 0)
		return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
	return entry_is_ours(name);
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static void give_all(int fd, unsigned int depth)
{
	/* an open file of its own: fd's offset may be shared */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = own >= 0 ? fdopendir(own) : NULL;
	struct dirent *entry;

	if (!dir) {
		if (own >= 0)
			close(own);
		return;
	}
	while ((entry = readdir(dir)))
		if (is_wanted(entry->d_name, depth))
			give(fd, entry->d_name, depth);
	closedir(dir);
}

void handover(int directory)
{
	struct invoker invoker;

	if (invoker_find(&invoker))
		give_all(directory, 0);
}
