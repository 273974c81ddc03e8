/* SPDX-License-Identifier: MIT */
/* notes: what made no event, by reason, with the first line of each. */
#ifndef MT_PERF_NOTES_H
#define MT_PERF_NOTES_H

#include "base/str.h"
#include "perf/text.h"

#include <stddef.h>
#include <stdint.h>

/* A text can name any number of events: from here on they share one note per kind. */
#define NOTES_MAX 64
/* Of the first line, this much is kept. */
#define NOTES_SHOWN 300

/* Zero: none yet. Free with notes_fini. */
struct notes {
	struct perf_note v[NOTES_MAX];
	size_t n;
	uint64_t lost; /* PERF_NOTE_LINE and PERF_NOTE_LONG, counted */
	void (*on_first)(void *ctx, const struct perf_note *note); /* may be NULL */
	void *ctx;
};

void notes_fini(struct notes *notes);

/* Counts one record of a kind; `what` and `line` are copied the first time. */
void notes_add(struct notes *notes, enum perf_note_kind kind, struct str what, struct str line,
	       uint64_t number);

#endif
