/* SPDX-License-Identifier: MIT */
#include "stack/runs.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void runs_init(struct runs *runs)
{
	*runs = (struct runs){ 0 };
}

void runs_fini(struct runs *runs)
{
	free(runs->frames);
	runs_init(runs);
}

void runs_clear(struct runs *runs)
{
	if (runs->n)
		memset(runs->frames, 0, runs->n * sizeof(*runs->frames));
}

void runs_begin(struct runs *runs, uint32_t n)
{
	runs->n = n < RUNS_MAX ? n : RUNS_MAX;
	runs->copies = runs->n;
	if (runs->cap < runs->n) {
		runs->cap = runs->n;
		runs->frames = xreallocarray(runs->frames, runs->cap, sizeof(*runs->frames));
	}
	runs_clear(runs);
}

void runs_find(struct runs *runs, const struct frame *before, const struct location *dst,
	       bool returned)
{
	uint32_t i;

	for (i = 0; i < runs->n; i++) {
		const struct frame *frame = &before[i];
		uint32_t run = 0;

		/* that of the frame above it, not yet overwritten */
		if (returned && i + 1 < runs->n && frame_expects(&before[i + 1], dst->addr))
			run = runs->frames[i + 1];
		if (frame->hidden || frame->copy || !frame_holds(frame, dst))
			runs->frames[i] = 0;
		else
			runs->frames[i] = run + 1;
	}
}

void runs_set(struct runs *runs, uint32_t i, uint32_t n)
{
	uint32_t run = runs->frames[i + n];

	runs_clear(runs);
	runs->frames[i] = run + n;
}

uint32_t runs_longest(const struct runs *runs)
{
	uint32_t i, best = 0;

	for (i = 0; i < runs->n; i++)
		if (runs->frames[i] > (best ? runs->frames[best - 1] : 0))
			best = i + 1;
	return best;
}

bool runs_sure(const struct runs *runs)
{
	uint32_t i, n = 0;

	for (i = 0; i < runs->n; i++)
		n += runs->frames[i] != 0;
	return n == 1;
}
