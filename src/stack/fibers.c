/* SPDX-License-Identifier: MIT */
#include "stack/fibers.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void fibers_init(struct fibers *fibers)
{
	*fibers = (struct fibers){ 0 };
}

void fibers_fini(struct fibers *fibers)
{
	uint32_t i;

	for (i = 0; i < fibers->cap; i++)
		free(fibers->list[i].frames);
	free(fibers->list);
	free(fibers->taken.frames);
	fibers_init(fibers);
}

/* The one left first is forgotten; its memory is kept. */
static void drop_first(struct fibers *fibers)
{
	struct fiber first = fibers->list[0];

	fibers->n--;
	memmove(&fibers->list[0], &fibers->list[1], fibers->n * sizeof(*fibers->list));
	fibers->list[fibers->n] = first;
}

/* Room for another one, at the end of the list. */
static struct fiber *add(struct fibers *fibers)
{
	uint32_t cap = fibers->cap;

	if (fibers->n == FIBERS_MAX)
		drop_first(fibers);
	if (fibers->n == cap) {
		fibers->cap = cap ? cap * 2 : 4;
		fibers->list = xreallocarray(fibers->list, fibers->cap, sizeof(*fibers->list));
		memset(&fibers->list[cap], 0, (fibers->cap - cap) * sizeof(*fibers->list));
	}
	return &fibers->list[fibers->n++];
}

struct fiber *fibers_keep(struct fibers *fibers, const struct frame *frames, uint32_t n,
			  uint32_t left)
{
	struct fiber *fiber;

	if (n < 2 || n > FIBER_MAX_FRAMES || !frames[n - 1].from)
		return NULL;
	fiber = add(fibers);
	fiber->gone = frames[n - 1];
	fiber->left = left;
	fiber->arrow = 0;
	fiber->n = n - 1;
	if (fiber->cap < fiber->n) {
		fiber->cap = fiber->n;
		fiber->frames = xreallocarray(fiber->frames, fiber->cap, sizeof(*fiber->frames));
	}
	memcpy(fiber->frames, frames, fiber->n * sizeof(*frames));
	return fiber;
}

/* How many frames of the stack go on when control lands at loc in one of them; 0: none does. */
static uint32_t held(const struct fiber *fiber, const struct location *loc)
{
	uint32_t n = fiber->n;

	while (n && !frame_holds(&fiber->frames[n - 1], loc))
		n--;
	return n;
}

struct fiber *fibers_find(const struct fibers *fibers, uint64_t addr)
{
	struct fiber *found = NULL;
	uint32_t i;

	for (i = 0; i < fibers->n; i++) {
		struct fiber *fiber = &fibers->list[i];

		if (frame_expects(&fiber->gone, addr) && (!found || fiber->left < found->left))
			found = fiber;
	}
	return found;
}

const struct fiber *fibers_take(struct fibers *fibers, const struct fiber *fiber)
{
	struct fiber *list = fibers->list, before = fibers->taken;
	uint32_t i;

	if (!fiber)
		return NULL;
	i = (uint32_t)(fiber - list);
	fibers->taken = list[i];
	fibers->n--;
	memmove(&list[i], &list[i + 1], (fibers->n - i) * sizeof(*list));
	/* The memory of the one taken before is kept. */
	list[fibers->n] = before;
	return &fibers->taken;
}

const struct fiber *fibers_take_within(struct fibers *fibers, const struct location *loc)
{
	uint32_t i, n, above, least = 0, depth = 0;
	struct fiber *found = NULL;

	for (i = 0; i < fibers->n; i++) {
		struct fiber *fiber = &fibers->list[i];

		n = held(fiber, loc);
		above = fiber->n - n;
		if (!n)
			continue;
		if (found && (above > least || (above == least && fiber->left > found->left)))
			continue;
		found = fiber;
		least = above;
		depth = n;
	}
	if (!found)
		return NULL;
	found->n = depth;
	return fibers_take(fibers, found);
}
