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
