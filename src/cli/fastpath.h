/* SPDX-License-Identifier: MIT */
/*
 * fastpath: whether perf is made to load our filter (src/dlfilter), and what to do when it does not
 * want to. Without the filter all is the same, and slower.
 */
#ifndef MT_CLI_FASTPATH_H
#define MT_CLI_FASTPATH_H

#include "base/err.h"
#include "base/str.h"
#include "cli/console.h"
#include "cli/held.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "perf/script.h"

#include <stdbool.h>
#include <stdint.h>

struct fastpath {
	char *filter; /* owned; NULL: there is none */
	uint64_t cookie;
	bool all;         /* every branch is wanted */
	bool refused;     /* perf is to run without it */
	bool trying;      /* perf runs, and has not shown yet that it has the filter */
	struct held said; /* by perf meanwhile */
};

/*
 * Looks for the filter, if it is of use; says so on the console when it is not there. say gets the
 * lines that were kept back, when they are to be said.
 */
void fastpath_open(struct fastpath *fast, struct console *console, const struct settings *settings,
		   const struct options *options, void (*say)(void *ctx, struct str line),
		   void *ctx);
void fastpath_close(struct fastpath *fast);

/* Sets what perf is started with, and from when on its words are kept back. */
void fastpath_begin(struct fastpath *fast, struct perf_script_args *args);

/* Takes a line of perf's standard error: false when it is to be said now. */
bool fastpath_hold(struct fastpath *fast, struct str line);

/* perf goes on with the filter, or has none: what it said is said. */
void fastpath_accepted(struct fastpath *fast);

/* perf ended without having begun. Its words are dropped, and it is to run without the filter. */
void fastpath_refused(struct fastpath *fast);

/* It did not get further without: the next data file is tried with the filter again. */
void fastpath_not_to_blame(struct fastpath *fast);

#endif
