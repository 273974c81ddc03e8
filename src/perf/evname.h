/* SPDX-License-Identifier: MIT */
/* evname: what kind of event a name stands for, whatever perf wraps around the name. */
#ifndef MT_PERF_EVNAME_H
#define MT_PERF_EVNAME_H

#include "base/str.h"

#include <stddef.h>

enum evclass {
	EVCLASS_BRANCH,  /* branches */
	EVCLASS_CBR,     /* cbr */
	EVCLASS_PSB,     /* psb */
	EVCLASS_PTWRITE, /* ptwrite */
	EVCLASS_UNDRAWN, /* mwait, pwre, exstop, pwrx, evt, iflag, transactions, instructions */
	EVCLASS_SAMPLE,  /* cycles and its stand-ins cpu-clock, task-clock */
	EVCLASS_EXTRA,   /* branch-misses, cache-misses */
	EVCLASS_OTHER,
};

/*
 * The event's own name in what head_read gives as one: without PMU, config and modifiers.
 * "cpu_core/cycles,freq=10000/u" and "cycles:ppp" are "cycles"; "probe_x:entry" stays, since what
 * follows its colon is no set of modifiers.
 */
struct str evname_strip(struct str event);

/* What a stripped name stands for. */
enum evclass evname_class(struct str name);

#define EVNAME_KEPT  4
#define EVNAME_BYTES 64

/* The names met lately: nearly all lines of a text have one of two or three. Zero: none yet. */
struct evnames {
	struct evname {
		char event[EVNAME_BYTES];
		size_t n;
		size_t name_at, name_n; /* the part that evname_strip leaves */
		enum evclass class;
	} kept[EVNAME_KEPT];
	size_t last; /* the one found last */
};

/* Both of the above at once; *name is a part of event. */
enum evclass evnames_find(struct evnames *names, struct str event, struct str *name);

#endif
