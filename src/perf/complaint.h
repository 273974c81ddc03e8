/* SPDX-License-Identifier: MIT */
/* complaint: the lines that perf writes to standard error. */
#ifndef MT_PERF_COMPLAINT_H
#define MT_PERF_COMPLAINT_H

#include "base/str.h"
#include "perf/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Longer lines are cut. */
#define COMPLAINT_MAX 4096
/* Who has read so many lines has no use for more: the rest is counted, not passed on. */
#define COMPLAINTS_SHOWN 500

/*
 * Makes lines of what a pipe gives, and remembers what helps to explain a failure. What says
 * nothing of interest is dropped: "[ perf record: Woken up 1 times ... ]" and its like, and the
 * list of all options that follows " Usage: perf".
 */
struct complaints {
	enum perf_mode mode;                         /* what perf was asked for */
	void (*on_line)(void *ctx, struct str line); /* may be NULL */
	void *ctx;

	const char *hint; /* what can be done about it; NULL when no line is known */
	char line[COMPLAINT_MAX];
	size_t n;
	size_t lines; /* that on_line was, or would have been, given */
	bool usage;   /* the list of options has begun */
	/* Lines that are not blank, cut to fit; they end in a NUL. */
	char telling[256]; /* the one that the hint is for; empty without a hint */
	char last[256];    /* the last one */
};

/* Takes the next bytes. */
void complaints_add(struct complaints *c, const char *p, size_t n);

/*
 * The end: a last line may have no newline. When there were more than COMPLAINTS_SHOWN, on_line is
 * told how many.
 */
void complaints_end(struct complaints *c);

#endif
