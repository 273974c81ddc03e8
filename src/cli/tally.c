/* SPDX-License-Identifier: MIT */
#include "cli/tally.h"

static struct tally_item *find(struct tally *tally, uint32_t message)
{
	struct tally_item *item = tally->items;

	for (size_t i = 0; i < tally->n; i++, item++) {
		if (item->message == message)
			return item;
	}
	if (tally->n < TALLY_MAX) {
		item->message = message;
		tally->n++;
		return item;
	}
	/* The last place is for the rest. */
	item = &tally->items[TALLY_MAX];
	item->message = INTERN_NONE;
	tally->n = TALLY_MAX + 1;
	return item;
}

void tally_add(struct tally *tally, uint32_t message)
{
	find(tally, message)->count++;
	tally->total++;
}

/* Insertion: the list is short, and equal counts keep their order. */
void tally_sort(struct tally *tally)
{
	for (size_t i = 1; i < tally->n; i++) {
		struct tally_item item = tally->items[i];
		size_t k = i;

		for (; k > 0 && tally->items[k - 1].count < item.count; k--)
			tally->items[k] = tally->items[k - 1];
		tally->items[k] = item;
	}
}
