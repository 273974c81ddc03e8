/* SPDX-License-Identifier: MIT */
/* head: the columns that begin each event perf prints: who, when, how many, what. */
#ifndef MT_PERF_HEAD_H
#define MT_PERF_HEAD_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All strings are parts of the line. */
struct head {
	int32_t pid, tid; /* 0: not known */
	int64_t time;     /* ns */
	uint64_t period;  /* 0 when the line has none */
	struct str event; /* with PMU, config and modifiers, without the last colon; empty: the line
			     names no event */
	struct str rest;  /* what follows, blanks at its front included */
};

/*
 * What lines begin with, and what stands between time and flags: both are mostly the same as on the
 * line before, and to compare bytes is faster than to read them. Zero before the first line.
 */
struct head_memory {
	struct {
		char text[64]; /* up to the point of the time */
		size_t n;      /* 0: nothing yet */
		int32_t pid, tid;
		int64_t time; /* of the whole seconds */
	} start;
	struct {
		char text[96]; /* from the time's colon to the event's */
		size_t n;
		uint64_t period;
		size_t event_n; /* the event's name stands at the end, before its colon */
	} middle;
};

/*
 * "PID/TID [CPU] SECONDS.FRACTION: PERIOD EVENT: ...", where CPU, PERIOD and EVENT may be missing.
 * false when the line does not begin so, or a number is too large; *h is then undefined.
 */
bool head_read(struct head_memory *memory, struct str line, struct head *h);

/*
 * The same with a command's name in front, which may hold blanks and anything else, and perhaps
 * only a TID: what perf prints for other field lists than ours. Slower.
 */
bool head_read_comm(struct str line, struct head *h);

#endif
