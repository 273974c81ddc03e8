/* SPDX-License-Identifier: MIT */
/* pipeline: the parts of a decode, put together: perf's text, stacks, trace. */
#ifndef MT_CLI_PIPELINE_H
#define MT_CLI_PIPELINE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/spool.h"
#include "cli/console.h"
#include "cli/ocamltraps.h"
#include "cli/options.h"
#include "cli/part.h"
#include "cli/selected.h"
#include "cli/settings.h"
#include "cli/symbols.h"
#include "cli/tally.h"
#include "perf/text.h"
#include "record/recording.h"
#include "stack/stacks.h"
#include "symbol/linetable.h"
#include "trace/trace.h"

struct pipeline {
	/* Borrowed, to be set before pipeline_open. */
	struct console *console;
	const struct options *options;
	const struct settings *settings;
	const struct recording *recording;
	struct part part; /* to be set as well */
	/* Owned. */
	struct intern *names;
	struct symbols *symbols;
	struct linetable *lines; /* of the executable; NULL: none that symbols do not know */
	struct trace *trace;     /* NULL when it is finished */
	struct spool_pool *pool;
	struct perf_text *text;
	struct selected *selected; /* NULL: no filter */
	struct stacks *stacks;
	struct ocamltraps traps;
	struct tally errors; /* decode errors that were fed */
	uint64_t lost;       /* chunks of data that perf lost while it recorded */
	uint64_t troubles;   /* with symbols, that were told */
	char advice[sizeof(((struct err *)0)->hint)]; /* that was given for the last of them */
};

/*
 * Makes the parts, the trace's temporary file among them. The pipeline must stay where it is.
 * -1 with err when the trace cannot be written or a file that was asked for is not there; close it
 * in any case.
 */
int pipeline_open(struct pipeline *p, struct err *err);

/* Gives the trace up unless it is finished, and frees everything. */
void pipeline_close(struct pipeline *p);

#endif
