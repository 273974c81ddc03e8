/* SPDX-License-Identifier: MIT */
#include "record/threads.h"

#include "base/num.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Where tid stands, or would. */
static size_t find(const struct threads *threads, pid_t tid)
{
	size_t low = 0, high = threads->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (threads->seen[middle] < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert(struct threads *threads, size_t at, pid_t tid)
{
	if (threads->n == threads->room) {
		threads->room = threads->room ? threads->room * 2 : 16;
		threads->seen = xreallocarray(threads->seen, threads->room, sizeof(*threads->seen));
	}
	memmove(threads->seen + at + 1, threads->seen + at,
		(threads->n - at) * sizeof(*threads->seen));
	threads->seen[at] = tid;
	threads->n++;
}

int threads_scan(struct threads *threads, pid_t pid, int (*each)(void *ctx, pid_t tid), void *ctx)
{
	char path[40];
	const struct dirent *entry;
	int added = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir))) {
		struct str name = str_of(entry->d_name);
		uint64_t tid;
		size_t at;
		int taken;

		if (!num_dec(&name, &tid) || name.n || tid > INT_MAX)
			continue;
		at = find(threads, (pid_t)tid);
		if (at < threads->n && threads->seen[at] == (pid_t)tid)
			continue;
		taken = each(ctx, (pid_t)tid);
		if (taken < 0) {
			added = taken;
			break;
		}
		if (taken)
			insert(threads, at, (pid_t)tid);
		added += taken;
	}
	closedir(dir);
	return added;
}

void threads_fini(struct threads *threads)
{
	free(threads->seen);
	*threads = (struct threads){ .seen = NULL };
}
