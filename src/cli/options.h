/* SPDX-License-Identifier: MIT */
/* options: what the command line said. Filled by flags_parse. */
#ifndef MT_CLI_OPTIONS_H
#define MT_CLI_OPTIONS_H

#include "cli/filter_arg.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings are borrowed from argv; NULL where a flag was not given. */
struct options {
	const char *arg; /* the one argument that is no flag */
	const char *working_directory;
	const char *output;
	const char *symfs;
	const char *callgraph_mode;
	const char *executable;
	struct filter_arg filter; /* owned: options_fini */
	uint32_t max_depth;       /* 0: none */
	bool sampling;
	bool include_kernel;
	bool kernel_only;
	bool print_events;
	bool print_perf_commands;
	bool help;
	bool man;
	bool bash;
};

/* What holds when no flag is given: the depth that viewers take, and a file name. */
#define OPTIONS_INIT                                        \
	{                                                   \
		.output = "trace.fxt.gz", .max_depth = 500, \
	}

static inline void options_fini(struct options *options)
{
	filter_arg_fini(&options->filter);
}

#endif
