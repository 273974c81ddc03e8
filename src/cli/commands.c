/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <string.h>

static const struct entry decode_usage[] = {
	{ "magic-trace decode [FLAGS] PERF_DATA_FILE" },
	{ "magic-trace decode [FLAGS] -working-directory DIR" },
	{ NULL },
};

static const struct entry decode_examples[] = {
	{ "magic-trace decode perf.data", "Decode what `perf record -e intel_pt//u` left" },
	{ "magic-trace decode -sampling -o samples.fxt.gz perf.data",
	  "The same for stacks sampled with `perf record --call-graph dwarf`" },
	{ "magic-trace decode -filter handle_request:send_reply perf.data",
	  "Show only what happens between calls of these two functions" },
	{ "magic-trace decode -working-directory recording -symfs /srv/target-root",
	  "Decode a recording of another machine, with that machine's files" },
	{ NULL },
};

static const struct entry version_usage[] = {
	{ "magic-trace version" },
	{ NULL },
};

static const struct entry help_usage[] = {
	{ "magic-trace help [COMMAND]" },
	{ NULL },
};

static const struct entry help_examples[] = {
	{ "magic-trace help decode", "All flags of decode" },
	{ NULL },
};

static const struct entry no_examples[] = {
	{ NULL },
};

static const struct command commands[COMMANDS] = {
	[COMMAND_DECODE] = {
		.name = "decode",
		.arg = "PERF_DATA_FILE",
		.summary = "make a trace of what perf recorded",
		.about = "Has `perf script` decode a recording, rebuilds the call stacks of its "
			 "threads, and writes them as a trace that https://magic-trace.org and "
			 "https://ui.perfetto.dev open. The recording is a data file of perf or a "
			 "directory of such files. When the directory has a recording.json, that "
			 "says what was recorded; flags win over it.",
		.usage = decode_usage,
		.examples = decode_examples,
	},
	[COMMAND_VERSION] = {
		.name = "version",
		.summary = "print the version",
		.about = "Prints the program's version.",
		.usage = version_usage,
		.examples = no_examples,
	},
	[COMMAND_HELP] = {
		.name = "help",
		.arg = "COMMAND",
		.summary = "explain the program, or one command",
		.about = "Explains a command and its flags, as -help behind the command does.",
		.usage = help_usage,
		.examples = help_examples,
	},
};

static const struct entry examples[] = {
	{ "perf record -e intel_pt//u -o perf.data ./program", "Record every branch of a program" },
	{ "magic-trace decode perf.data", "Make trace.fxt.gz of it, to be opened in a browser" },
	{ "magic-trace help decode", "All flags" },
	{ NULL },
};

static const struct entry statuses[] = {
	{ "0", "a trace of the whole recording was written" },
	{ "1", "no trace was written, and an older file was left as it was; the reason was said" },
	{ "2", "the command line is wrong" },
	{ "3", "a trace of a part was written: perf failed, or data could not be read" },
	{ NULL },
};

static const struct entry variables[] = {
	{ "MAGIC_TRACE_PERF_PATH", "the perf program to run, instead of the one in PATH" },
	{ "MAGIC_TRACE_SKIP_TX_HANDLING",
	  "when set, what a hardware transaction did is shown even when it was aborted" },
	{ "MAGIC_TRACE_DEBUG",
	  "when set, -z-print-events and -z-print-perf-commands are on, and calls that were not "
	  "seen to begin are marked [inferred start time]" },
	{ "TMPDIR",
	  "where what does not fit in memory waits, in an unnamed file; /tmp if not set" },
	{ NULL },
};

const struct command *command_get(enum command_id id)
{
	return &commands[id];
}

enum command_id command_find(const char *name)
{
	enum command_id id = 0;

	while (id < COMMANDS && strcmp(commands[id].name, name) != 0)
		id++;
	return id;
}

const struct entry *program_examples(void)
{
	return examples;
}

const struct entry *program_statuses(void)
{
	return statuses;
}

const struct entry *program_variables(void)
{
	return variables;
}
