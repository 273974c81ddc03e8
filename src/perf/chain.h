/* SPDX-License-Identifier: MIT */
/* chain: the call chain of a sample, one line a frame below the event's own line. */
#ifndef MT_PERF_CHAIN_H
#define MT_PERF_CHAIN_H

#include "base/err.h"
#include "event/event.h"
#include "perf/lines.h"
#include "perf/notes.h"
#include "perf/place.h"

#include <stdbool.h>
#include <stddef.h>

/* Zero: no frames, no memory yet. Reused from sample to sample; free with chain_fini. */
struct chain {
	struct location *v; /* owned */
	size_t n, cap;
	size_t lines; /* that belonged to the chain, understood or not */
};

void chain_fini(struct chain *c);

/* Makes it one frame. */
void chain_set(struct chain *c, const struct location *frame);

/*
 * Whether a line belongs to the record above it: it begins with a TAB, or with spaces and an
 * address that stands alone. To be asked only where a record has begun.
 */
bool chain_is_frame(struct str line);

/*
 * Reads the lines that follow as frames, up to the first that is none (given back to `lines`) or a
 * blank one. A frame that is not well formed is counted in notes and left out; so are those beyond
 * PERF_CHAIN_MAX, which make one PERF_NOTE_DEEP together. 0, with the frames in c outermost first;
 * -1 with err when reading failed.
 */
int chain_read(struct chain *c, struct lines *lines, struct places *places, struct notes *notes,
	       struct err *err);

#endif
