/* SPDX-License-Identifier: MIT */
/* settings: how to decode, from the flags, the environment and what the recording says of itself.
 */
#ifndef MT_CLI_SETTINGS_H
#define MT_CLI_SETTINGS_H

#include "base/err.h"
#include "cli/options.h"
#include "perf/text.h"
#include "record/recording.h"
#include "stack/stacks.h"

#include <stdbool.h>

/* All strings are borrowed, from the options, the environment or the recording. */
struct settings {
	const char *input;      /* the recording */
	const char *perf;       /* the program */
	const char *executable; /* NULL: not known */
	enum perf_mode mode;
	enum trace_scope scope;
	bool stitch_lbr;
	bool skip_tx;
	bool skip_traps;      /* OCaml's exceptions are found by names only */
	bool reference;       /* stacks as the OCaml magic-trace builds them ... */
	bool reference_times; /* ... and as it gives them times */
	bool inlined;         /* functions that were inlined are drawn */
	bool no_filter;       /* perf is to print its text, see perf/script.h */
	bool mark_inferred;
	bool print_events;
	bool print_perf_commands;
};

/* An environment variable, or NULL; one that is empty counts as one that is not set. */
const char *settings_variable(const char *name);

/*
 * What can be said before there is a recording; input stays NULL. -1 with err when the command line
 * contradicts itself, or names an output that cannot be written by its suffix.
 */
int settings_begin(struct settings *settings, const struct options *options, struct err *err);

/*
 * Sets input to the recording that the command line of decode names. -1 with err: none, two, or
 * what is neither a file nor a directory.
 */
int settings_input(struct settings *settings, const struct options *options, struct err *err);

/*
 * Adds what the recording says where the flags say nothing. -1 with err when the flags do not fit
 * it.
 */
int settings_recording(struct settings *settings, const struct options *options,
		       const struct recording *recording, struct err *err);

#endif
