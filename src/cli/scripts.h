/* SPDX-License-Identifier: MIT */
/*
 * scripts: the runs of `perf script` over a data file: with our filter, and without it when perf
 * does not take that; over all of it, or over slices. What they print is read as one text.
 */
#ifndef MT_CLI_SCRIPTS_H
#define MT_CLI_SCRIPTS_H

#include "base/err.h"
#include "cli/fastpath.h"
#include "cli/pipeline.h"
#include "cli/settings.h"
#include "cli/slices.h"
#include "perf/script.h"

#include <stdbool.h>
#include <stddef.h>

struct scripts {
	/* To be set before scripts_open; borrowed. */
	struct pipeline *p; /* its text reads what perf prints; open before the first run */
	const struct settings *settings;
	unsigned int jobs; /* slices at most */
	/*
	 * Reads the pipeline's text to its end. 1: that is done; 0: reading failed half-way; -1:
	 * give up; both with err.
	 */
	int (*read)(void *ctx, struct err *err);
	void *ctx;
	/* The rest is zero before scripts_open. */
	struct fastpath fast;
	struct perf_script *perf; /* whose output is read, while it runs; else NULL */
	struct slices slices;     /* of the data file */
	size_t slice;             /* that is read */
};

/* How a data file has ended. */
struct scripts_end {
	int read; /* as scripts.read says */
	int perf; /* as perf_script_finish says */
	struct err read_err, perf_err;
	bool refused; /* perf has failed before it came to the data, perhaps for our filter */
};

/* Looks for the filter; a warning says when it is not there. End with scripts_close. */
void scripts_open(struct scripts *s);
void scripts_close(struct scripts *s);

/*
 * Runs perf on data file i of the recording, and has what it prints read. -1 with err: perf could
 * not be started. Signals stop it meanwhile (see interrupt.h).
 */
int scripts_run(struct scripts *s, size_t i, struct scripts_end *end, struct err *err);

/* To be told of each event that was read, at once: perf has begun. */
static inline void scripts_got_event(struct scripts *s)
{
	if (s->fast.trying)
		fastpath_accepted(&s->fast);
}

/* Whether the event that was read is one too many: see slices_repeats. */
static inline bool scripts_repeat(struct scripts *s, const struct event *ev)
{
	return slices_repeats(&s->slices, s->slice, ev);
}

#endif
