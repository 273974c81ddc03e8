/* SPDX-License-Identifier: MIT */
#include "symbol/ranges.h"

#include "base/xalloc.h"

#include <stdlib.h>

void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint64_t owner)
{
	if (start >= end)
		return;
	if (ranges->n == ranges->cap) {
		ranges->cap = ranges->cap ? 2 * ranges->cap : 256;
		ranges->all = xreallocarray(ranges->all, ranges->cap, sizeof(*ranges->all));
	}
	ranges->all[ranges->n++] = (struct range){ .start = start, .end = end, .owner = owner };
}

static int compare(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* The larger one first: it holds the other. */
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->owner > y->owner) - (x->owner < y->owner);
}

/* `open` holds the ranges that have begun, in that order. */
void ranges_settle(struct ranges *ranges)
{
	struct range *all = ranges->all, *open;
	size_t n = ranges->n, n_open = 0;
	uint64_t at = 0;

	if (n == 0)
		return;
	qsort(all, n, sizeof(*all), compare);
	open = xcalloc(n, sizeof(*open));
	*ranges = (struct ranges){ 0 };
	for (size_t i = 0; i <= n; i++) {
		uint64_t next = i < n ? all[i].start : UINT64_MAX;

		while (n_open && at < next) {
			const struct range *last = &open[n_open - 1];
			uint64_t end = last->end < next ? last->end : next;

			if (at < end) {
				ranges_add(ranges, at, end, last->owner);
				at = end;
			} else {
				n_open--;
			}
		}
		at = next;
		if (i < n)
			open[n_open++] = all[i];
	}
	free(open);
	free(all);
}

/* A heap of ranges, that with the greatest owner on top. */
struct heap {
	const struct range **all;
	size_t n;
};

static void push(struct heap *heap, const struct range *range)
{
	size_t i = heap->n++;

	for (; i && heap->all[(i - 1) / 2]->owner < range->owner; i = (i - 1) / 2)
		heap->all[i] = heap->all[(i - 1) / 2];
	heap->all[i] = range;
}

static void pop(struct heap *heap)
{
	const struct range *last = heap->all[--heap->n];
	size_t i = 0, child;

	for (; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n && heap->all[child + 1]->owner > heap->all[child]->owner)
			child++;
		if (heap->all[child]->owner < last->owner)
			break;
		heap->all[i] = heap->all[child];
	}
	heap->all[i] = last;
}

/* What has begun, up to an address. Returns how far that was. */
static uint64_t put_newest(struct ranges *ranges, struct heap *open, uint64_t at, uint64_t next)
{
	while (open->n && at < next) {
		const struct range *newest = open->all[0];
		uint64_t end = newest->end < next ? newest->end : next;

		if (newest->end <= at) {
			pop(open);
			continue;
		}
		ranges_add(ranges, at, end, newest->owner);
		at = end;
	}
	return next;
}

void ranges_settle_newest(struct ranges *ranges)
{
	struct ranges whole = *ranges;
	struct heap open;
	uint64_t at = 0;

	if (whole.n == 0)
		return;
	qsort(whole.all, whole.n, sizeof(*whole.all), compare);
	open = (struct heap){ .all = xcalloc(whole.n, sizeof(*open.all)) };
	*ranges = (struct ranges){ 0 };
	for (size_t i = 0; i < whole.n; i++) {
		at = put_newest(ranges, &open, at, whole.all[i].start);
		push(&open, &whole.all[i]);
	}
	put_newest(ranges, &open, at, UINT64_MAX);
	free(open.all);
	free(whole.all);
}

const struct range *ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ranges->all[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < ranges->all[low - 1].end ? &ranges->all[low - 1] : NULL;
}

void ranges_fini(struct ranges *ranges)
{
	free(ranges->all);
	*ranges = (struct ranges){ 0 };
}
