/* SPDX-License-Identifier: MIT */
/* events: each span as an event record of the trace. */
#ifndef MT_TRACE_EVENTS_H
#define MT_TRACE_EVENTS_H

#include "base/span.h"
#include "trace/fxt.h"
#include "trace/source.h"
#include "trace/strings.h"
#include "trace/tracks.h"

/* Words of a begin's arguments behind the address: line, col, symbol, file and three more. */
#define EVENTS_FORM_WORDS 7

/*
 * A begin that has been written, without its time and its address: the next one of the same
 * function, called from the same place, on the same track, looks the same.
 */
struct events_form {
	uint64_t start, from; /* of the span, as are dso and flags */
	uint32_t dso;
	uint32_t owner;      /* its track + 1; 0: the slot is free */
	uint32_t redefined;  /* trace_stats.redefined, for as long as strings mean the same */
	uint16_t strings[3]; /* that it refers to, but for names and fixed ones; or 0 */
	uint8_t flags;
	uint8_t args, n_words; /* with the address's two */
	uint8_t symbol;        /* which of the words is the symbol's */
	uint64_t words[EVENTS_FORM_WORDS];
};

#define EVENTS_FORMS 4096u

/* What an event is made with; all borrowed. To be made from zeroed memory. */
struct events {
	struct fxt *fxt;
	struct strings *strings;
	struct tracks *tracks;
	struct source *source; /* NULL: nothing is known of source lines */
	struct trace_stats *stats;
	bool mark_inferred;
	struct events_form end;                 /* of an end: nothing */
	struct events_form forms[EVENTS_FORMS]; /* of the begins seen last */
};

/* Writes a span, a hit. */
void events_span(struct events *e, const struct span *span);
void events_hit(struct events *e, const struct hit_span *hit);

#endif
