/* SPDX-License-Identifier: MIT */
/* options: what the command line said. Filled by parse. */
#ifndef MT_CLI_OPTIONS_H
#define MT_CLI_OPTIONS_H

#include "cli/filter_arg.h"
#include "cli/values.h"
#include "record/resolution.h"

#include <stdbool.h>
#include <stdint.h>

/* Strings are borrowed from argv; NULL where a flag was not given. */
struct options {
	const char *arg;   /* the one argument that is no flag */
	char *const *rest; /* the arguments behind "--", ends in NULL; NULL when there are none */

	/* what is recorded */
	struct pid_list pids; /* owned: options_fini */
	const char *trigger;
	const char *callgraph_mode;
	struct resolution resolution;
	struct extra_events events;
	uint64_t snapshot_size; /* bytes; 0: not given */
	uint64_t duration;      /* ns; 0: not given */
	int ready_fd;           /* -1: not given */
	bool multi_snapshot;
	bool multi_thread;
	bool full_execution;
	bool sampling;
	const char *backend; /* one of record_backends */
	bool software;
	const char *software_engine; /* one of record_engines */
	const char *software_time;   /* one of record_times */
	bool follow_fork;
	bool include_kernel;
	bool kernel_only;
	bool program_status;

	/* where it is, and what is made of it */
	const char *working_directory;
	const char *output;
	const char *symfs;
	const char *executable;
	struct filter_arg filter;        /* owned: options_fini */
	uint32_t jobs;                   /* 0: not given */
	struct when after, before, last; /* which part; see part.h */
	uint32_t max_depth;              /* 0: none */
	const char *stacks;              /* NULL: not given */
	const char *time_spread;         /* NULL: not given */
	const char *inlined;             /* on or off; NULL: not given */
	bool share;
	bool no_demangle;

	bool print_events;
	bool print_perf_commands;
	bool json;
	bool help;
	bool man;
	bool bash;
};

/* What holds when no flag is given: the depth that viewers take, and a file name. */
#define OPTIONS_INIT                                                        \
	{                                                                   \
		.output = "trace.fxt.gz", .max_depth = 500, .ready_fd = -1, \
	}

static inline void options_fini(struct options *options)
{
	filter_arg_fini(&options->filter);
	pid_list_fini(&options->pids);
}

#endif
