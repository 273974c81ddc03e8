/* SPDX-License-Identifier: MIT */
#include "record/threads.h"

#include "base/procfs.h"
#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

struct scan {
	struct threads *threads;
	int (*each)(void *ctx, pid_t tid);
	void *ctx;
	int added; /* or what ended it */
};

static bool take(void *ctx, pid_t tid)
{
	struct scan *scan = ctx;
	struct threads *threads = scan->threads;
	size_t at = find(threads, tid);
	int taken;

	if (at < threads->n && threads->seen[at] == tid)
		return true;
	taken = scan->each(scan->ctx, tid);
	if (taken < 0) {
		scan->added = taken;
		return false;
	}
	if (taken)
		insert(threads, at, tid);
	scan->added += taken;
	return true;
}

int threads_scan(struct threads *threads, pid_t pid, int (*each)(void *ctx, pid_t tid), void *ctx)
{
	struct scan scan = { .threads = threads, .each = each, .ctx = ctx };

	return procfs_threads(pid, take, &scan) < 0 ? -1 : scan.added;
}

void threads_fini(struct threads *threads)
{
	free(threads->seen);
	*threads = (struct threads){ .seen = NULL };
}
