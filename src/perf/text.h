/* SPDX-License-Identifier: MIT */
/*
 * text: what `perf script` prints, read as events.
 *
 * One pass over large buffers; no allocation a line. Text from perf is hostile: what is not
 * understood is counted and skipped, and never ends the run.
 */
#ifndef MT_PERF_TEXT_H
#define MT_PERF_TEXT_H

#include "base/err.h"
#include "base/input.h"
#include "base/intern.h"
#include "base/str.h"
#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

enum perf_mode {
	PERF_PT,       /* branches decoded from Intel PT */
	PERF_SAMPLING, /* sampled stacks: any event with a call chain that is not an extra one */
};

/* Why a record made no event, or not a whole one. */
enum perf_note_kind {
	PERF_NOTE_LINE,    /* a line of no known form */
	PERF_NOTE_EVENT,   /* an event that we do not know; `what` is its name */
	PERF_NOTE_UNDRAWN, /* an event that is known and not drawn (mwait, evt ...); `what` its name
			    */
	PERF_NOTE_LONG,    /* a line longer than PERF_LINE_MAX */
	PERF_NOTE_MESSAGE, /* a message of perf's own on standard output ("Warning: ...") */
	PERF_NOTE_DEEP,    /* a call chain of more than PERF_CHAIN_MAX frames, cut */
};

/* All records with the same reason. */
struct perf_note {
	enum perf_note_kind kind;
	struct str what;  /* see the kinds; else empty */
	struct str first; /* the first such line, at most 300 bytes of it */
	uint64_t line;    /* its number in the text, from 1 */
	uint64_t count;
};

/* Longer lines are skipped, not read: two symbols of 40,000 bytes fit many times over. */
#define PERF_LINE_MAX (1u << 20)

/*
 * Of a call chain, so many frames are kept: the innermost ones, which come first. perf itself stops
 * at kernel.perf_event_max_stack (127 unless somebody raised it), so that more are no call chain.
 */
#define PERF_CHAIN_MAX 65536u

/* Among records, the bytes, lines and lost lines are brought up to date when more is read. */
struct perf_text_stats {
	uint64_t bytes;       /* read so far */
	uint64_t lines;       /* so far, continuation lines of a call chain included */
	uint64_t events;      /* given out */
	uint64_t lost;        /* lines not understood: PERF_NOTE_LINE and PERF_NOTE_LONG */
	uint64_t bad_offsets; /* places whose offsets were garbage: distinct ones, about */
	bool cut; /* the text of the last perf_text_input ended in the middle of a line */
};

struct perf_text;

/*
 * A reader. Symbols, DSOs, event names and messages go to names. note (may be NULL) is called the
 * first time that a kind of record makes no event. Free with perf_text_free.
 */
struct perf_text *perf_text_new(enum perf_mode mode, struct intern *names,
				void (*note)(void *ctx, const struct perf_note *note), void *ctx)
	__attribute__((returns_nonnull));
void perf_text_free(struct perf_text *text);

/* Starts on a new text (the next data file); counts and notes go on. */
void perf_text_input(struct perf_text *text, struct input input);

/*
 * In the text that was started on last there may be records of our filter (dlfilter/wire.h), which
 * was given this number. What perf prints only for the filter's sake is passed over.
 */
void perf_text_records(struct perf_text *text, uint64_t cookie);

/* Gives each place of records its shown name, once: the branches are `named` then. */
void perf_text_namer(struct perf_text *text,
		     void (*name)(void *ctx, int32_t pid, struct location *loc), void *ctx);

/* Of the text that was started on last, what perf says for itself is not noted. */
void perf_text_repeated(struct perf_text *text);

/* Whether there were records so far. */
bool perf_text_has_records(const struct perf_text *text);

/*
 * The next event: 1 and *ev filled (frames valid until the next call), 0 at the end of the text,
 * -1 with err when reading failed.
 */
int perf_text_next(struct perf_text *text, struct event *ev, struct err *err);

const struct perf_text_stats *perf_text_stats(const struct perf_text *text);

/* The notes so far, in order of first appearance; *n is how many. Borrowed. */
const struct perf_note *perf_text_notes(const struct perf_text *text, size_t *n);

#endif
