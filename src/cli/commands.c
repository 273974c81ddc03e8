/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <string.h>

static const struct entry run_usage[] = {
	{ "magic-trace run [FLAGS] PROGRAM [-- ARGUMENTS]" },
	{ "magic-trace run [FLAGS] -- PROGRAM ARGUMENTS" },
	{ NULL },
};

static const struct entry run_examples[] = {
	{ "magic-trace run ./prog", "Record the last moments before the program's end" },
	{ "magic-trace run -trigger handle_request -- ./server --port 80",
	  "Record what led to the first call of handle_request" },
	{ "magic-trace run -sampling -full-execution -multi-thread ./prog",
	  "Sample the stacks of all threads, from the beginning to the end" },
	{ NULL },
};

static const struct entry attach_usage[] = {
	{ "magic-trace attach [FLAGS] [-pid PID[,PID]]" },
	{ "magic-trace attach [FLAGS] -pid PID -- COMMAND ARGUMENTS" },
	{ NULL },
};

static const struct entry attach_examples[] = {
	{ "magic-trace attach -pid $(pidof prog)",
	  "Record a program that runs; Ctrl-C takes the snapshot" },
	{ "magic-trace attach -pid $(pidof prog) -trigger . -multi-thread",
	  "Record what led to the first call of magic_trace_stop_indicator, in any thread" },
	{ "magic-trace attach -pid $(pidof prog) -- ./client --requests 1",
	  "Record a program while a command runs" },
	{ "magic-trace attach -pid $(pidof prog) -duration 2 -full-execution",
	  "Record all of two seconds" },
	{ NULL },
};

static const struct entry check_usage[] = {
	{ "magic-trace check [-json]" },
	{ NULL },
};

static const struct entry check_examples[] = {
	{ "magic-trace check", "What can be recorded here, and what would allow more" },
	{ NULL },
};

static const struct entry decode_usage[] = {
	{ "magic-trace decode [FLAGS] PERF_DATA_FILE" },
	{ "magic-trace decode [FLAGS] -working-directory DIR" },
	{ NULL },
};

static const struct entry decode_examples[] = {
	{ "magic-trace decode perf.data", "Decode what `perf record -e intel_pt//u` left" },
	{ "magic-trace decode -sampling -o samples.fxt.gz perf.data",
	  "The same for stacks sampled with `perf record --call-graph dwarf`" },
	{ "magic-trace decode -last 2ms perf.data", "Only the end of it; the rest is passed over" },
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
	[COMMAND_RUN] = {
		.name = "run",
		.arg = "PROGRAM",
		.takes_command = true,
		.summary = "run a program and record its end, or the moments before a call",
		.about = "Starts a program, records every branch of its first thread with Intel PT into "
			 "a ring buffer (where there is no Intel PT, samples of its stack), and takes a "
			 "snapshot of that when the program ends or the trigger is hit. The snapshot "
			 "becomes a trace that https://magic-trace.org and https://ui.perfetto.dev "
			 "open. SIGINT, SIGTERM and SIGHUP are passed on to the program; a second one "
			 "ends the recording. SIGUSR2 takes a snapshot at once; the program may send it "
			 "to its parent. magic-trace ends when the program has ended.",
		.usage = run_usage,
		.examples = run_examples,
	},
	[COMMAND_ATTACH] = {
		.name = "attach",
		.takes_command = true,
		.summary = "record the last moments of a program that runs already",
		.about = "Records as run does, but processes that run already, and leaves them running. "
			 "Ctrl-C (or SIGTERM, SIGHUP), the end of the processes, the end of the COMMAND "
			 "or of the -duration takes the snapshot and ends the recording. With a trigger "
			 "the snapshot is taken when it is hit, and Ctrl-C takes none. SIGUSR2 takes a "
			 "snapshot at once.",
		.usage = attach_usage,
		.examples = attach_examples,
	},
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
	[COMMAND_CHECK] = {
		.name = "check",
		.summary = "tell what this machine can record, and what would allow more",
		.about = "Looks at the CPU, the kernel, perf and our permissions, and prints what can be "
			 "recorded here, with a remedy for what cannot. The exit status is 0 when "
			 "something can be recorded, else 1.",
		.usage = check_usage,
		.examples = check_examples,
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
	{ "magic-trace run ./prog",
	  "Record the last moments of a program, make trace.fxt.gz of them" },
	{ "magic-trace attach -pid PID", "The same for one that runs; Ctrl-C takes the snapshot" },
	{ "magic-trace run -trigger handle_request ./server",
	  "Take the snapshot when a function is called" },
	{ "magic-trace check", "What can be recorded on this machine" },
	{ "magic-trace help run", "All flags" },
	{ NULL },
};

static const struct entry statuses[] = {
	{ "0", "a trace of the whole recording was written" },
	{ "1", "no trace was written, and an older file was left as it was; the reason was said" },
	{ "2", "the command line is wrong" },
	{ "3",
	  "a trace of a part was written: perf failed, or data could not be read; or the trace "
	  "could not be shared" },
	{ NULL },
};

static const struct entry variables[] = {
	{ "MAGIC_TRACE_PERF_PATH", "the perf program to run, instead of the one in PATH" },
	{ "MAGIC_TRACE_PERF_IS_PRIVILEGED",
	  "when set, permissions are not checked before: perf itself has been given them" },
	{ "MAGIC_TRACE_PERF_NO_KCORE",
	  "when set, no copy of the kernel's code is recorded (perf record --kcore)" },
	{ "MAGIC_TRACE_SHARE_COMMAND",
	  "what -share runs: a program and its arguments, which may be quoted" },
	{ "MAGIC_TRACE_SHARE_DOC", "a sentence about it, for -help" },
	{ "MAGIC_TRACE_FZF_DEMANGLE_SYMBOLS",
	  "when set, functions to choose from are shown by their demangled names" },
	{ "MAGIC_TRACE_NO_OCAML_EXCEPTION_DEBUG_INFO",
	  "when set, what OCaml's compiler noted of exception handlers is not used: exceptions are "
	  "found by the names of functions of its runtime" },
	{ "MAGIC_TRACE_NO_DLFILTER",
	  "when set, perf loads no filter of ours and prints text, which takes longer" },
	{ "MAGIC_TRACE_SKIP_TX_HANDLING",
	  "when set, what a hardware transaction did is shown even when it was aborted" },
	{ "DEBUGINFOD_URLS", "servers that are asked for debug info; none if not set" },
	{ "XDG_CACHE_HOME",
	  "where what was read of debug info is kept, in magic-trace/; ~/.cache if not set" },
	{ "MAGIC_TRACE_DEBUG",
	  "when set, -z-print-events and -z-print-perf-commands are on, and calls that were not "
	  "seen to begin are marked [inferred start time]" },
	{ "MAGIC_TRACE_PID", "set by run for its program: our pid, to which SIGUSR2 may be sent" },
	{ "TMPDIR",
	  "where a recording without -working-directory lies until it is decoded, and where what "
	  "does not fit in memory waits, in an unnamed file; /tmp if not set" },
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
