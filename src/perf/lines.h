/* SPDX-License-Identifier: MIT */
/* lines: the lines of an input, through one buffer of fixed size. */
#ifndef MT_PERF_LINES_H
#define MT_PERF_LINES_H

#include "base/err.h"
#include "base/input.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a line that is too long, this much is shown. */
#define LINES_SHOWN 300

enum lines_got {
	LINES_ERROR = -1, /* the input failed; err is set */
	LINES_END,
	LINES_LINE,
	LINES_LONG, /* a line of more than PERF_LINE_MAX bytes: its first LINES_SHOWN bytes */
};

/* Opaque but for the counts. */
struct lines {
	uint64_t bytes;  /* read so far */
	uint64_t number; /* of the line given last, from 1; goes on from text to text */
	bool cut;        /* this text ended without a newline at its end */

	struct input in;
	bool end;        /* the input said so */
	bool skipping;   /* in the rest of a line that is too long */
	bool again;      /* `last` is to be given once more */
	struct str last; /* the line given last */
	char *buf;       /* owned */
	size_t pos;      /* where the next line begins */
	size_t scanned;  /* there is no newline between pos and here */
	size_t len;      /* bytes in buf */
};

/* Without an input: at the end. Free with lines_fini. */
void lines_init(struct lines *l);
void lines_fini(struct lines *l);

/* Starts on another text; what is left of the one before is dropped. */
void lines_input(struct lines *l, struct input in);

/*
 * The next line, without its newline and without one carriage return before that; borrowed until
 * the next call. A last line that has no newline is given as well.
 */
enum lines_got lines_next(struct lines *l, struct str *line, struct err *err);

/* Makes the next lines_next give the line that it gave last. Only after LINES_LINE. */
void lines_unread(struct lines *l);

/*
 * For what stands between lines. The bytes that were read and not yet given: *s, borrowed until the
 * next call. False when they do not begin where a line does.
 */
bool lines_rest(const struct lines *l, struct str *s);

/* Reads more of them: 1, 0 at the end, -1 with err. There may be PERF_LINE_MAX of them before. */
int lines_more(struct lines *l, struct err *err);

/* Takes n of them off; the next line begins behind them. */
void lines_take(struct lines *l, size_t n);

#endif
