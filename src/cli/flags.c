/* SPDX-License-Identifier: MIT */
#include "cli/flags.h"

#include "record/options.h"
#include "record/recording.h"

#include <stddef.h>

#define ON(command) (1u << (command))
#define DECODE      ON(COMMAND_DECODE)
#define ATTACH      ON(COMMAND_ATTACH)
#define RECORD      (ON(COMMAND_RUN) | ATTACH)
#define TRACE       (RECORD | DECODE)
#define ALL         (ON(COMMANDS) - 1)
#define FIELD(name) offsetof(struct options, name)

static const char *const stack_rules[] = { "true", "reference", NULL };
static const char *const on_off[] = { "on", "off", NULL };
static const char *const time_rules[] = { "work", "reference", NULL };

static const struct flag table[] = {
	{
		.name = "trigger",
		.value = "SELECTION",
		.help = "Take the snapshot when this is called: a function (also LIBRARY:FUNCTION), "
			"FILE:LINE, an address in hex; . is the function of magic_trace.h; ? lets "
			"you choose with fzf. symbol:, line: and addr: before it say which is meant",
		.kind = FLAG_TEXT,
		.commands = RECORD,
		.field = FIELD(trigger),
	},
	{
		.name = "multi-snapshot",
		.help = "Take a snapshot at every hit of the trigger and at every SIGUSR2, not only "
			"the first, until Ctrl-C or the program's end",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(multi_snapshot),
	},
	{
		.name = "multi-thread",
		.help = "Record all threads of the process, those that start later and its children "
			"too, not only the first thread; a trigger is then watched in all of them",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(multi_thread),
	},
	{
		.name = "full-execution",
		.help = "Record everything, not only the last moments: no ring buffer. Intel PT "
			"writes hundreds of megabytes a second",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(full_execution),
	},
	{
		.name = "duration",
		.value = "SECONDS",
		.help = "End the recording after this time",
		.kind = FLAG_SECONDS,
		.commands = RECORD,
		.field = FIELD(duration),
	},
	{
		.name = "snapshot-size",
		.value = "SIZE",
		.help = "How much Intel PT data the ring buffer holds, for each thread or CPU: "
			"4096, 512K, 64M, 1G. A larger one holds a longer time",
		.kind = FLAG_SIZE,
		.commands = RECORD,
		.field = FIELD(snapshot_size),
	},
	{
		.name = "timer-resolution",
		.value = "RESOLUTION",
		.help = "Low, Normal (if not given) or High: how fine times are; with sampling, "
			"how often. Sample(5000): 5000 samples a second. Custom(cyc=1,...): terms "
			"of the intel_pt event: cyc, cyc_thresh, mtc, mtc_period, noretcomp, "
			"psb_period",
		.kind = FLAG_RESOLUTION,
		.commands = RECORD,
		.field = FIELD(resolution),
	},
	{
		.name = "events",
		.value = "LIST",
		.help = "Record these too: branch-misses, cache-misses, or both with a comma",
		.kind = FLAG_EVENTS,
		.commands = RECORD,
		.field = FIELD(events),
	},
	{
		.name = "pid",
		.alias = "p",
		.value = "PID[,PID]",
		.help = "The processes to attach to; without it you choose one with fzf",
		.kind = FLAG_PIDS,
		.commands = ATTACH,
		.field = FIELD(pids),
	},
	{
		.name = "ready-fd",
		.value = "N",
		.help = "Write a line, \"recording PID\", to this file descriptor when recording is on, "
			"and close it",
		.kind = FLAG_FD,
		.commands = RECORD,
		.field = FIELD(ready_fd),
	},
	{
		.name = "program-status",
		.help = "Exit with the status of the program that was run, when a trace of the "
			"whole recording was written",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(program_status),
	},
	{
		.name = "working-directory",
		.value = "DIR",
		.help = "The directory of the recording: perf.data files and recording.json. run and attach "
			"keep it there, for decode (a temporary one is removed if not given)",
		.kind = FLAG_DIR,
		.commands = TRACE,
		.field = FIELD(working_directory),
	},
	{
		.name = "output",
		.alias = "o",
		.value = "FILE",
		.help = "Where the trace goes: FILE.fxt.gz, .fxt or .fxt.zst (trace.fxt.gz if not "
			"given). An older file becomes FILE.old",
		.kind = FLAG_FILE,
		.commands = TRACE,
		.field = FIELD(output),
	},
	{
		.name = "filter",
		.value = "START:STOP",
		.help = "Show only what lies between a call of START and one of STOP: names as the "
			"trace has them, ends of names (Book::add), LIBRARY:NAME, FILE:LINE of a "
			"function, or addresses. Also '(START STOP)', with \"...\" round names that "
			"have spaces or brackets",
		.kind = FLAG_FILTER,
		.commands = TRACE,
		.field = FIELD(filter),
	},
	{
		.name = "last",
		.value = "LENGTH",
		.help = "Decode only the end of the recording: 2ms, 800us, 10%. Of Intel PT, the rest "
			"is passed over fast",
		.kind = FLAG_LENGTH,
		.commands = TRACE,
		.field = FIELD(last),
	},
	{
		.name = "after",
		.value = "TIME",
		.help = "Decode only what happened from this time on: 2ms (since the beginning of "
			"the whole trace), 30%, or @SECONDS of perf's clock, as -z-print-events "
			"prints them",
		.kind = FLAG_WHEN,
		.commands = TRACE,
		.field = FIELD(after),
	},
	{
		.name = "before",
		.value = "TIME",
		.help = "Decode only what happened up to this time; see -after",
		.kind = FLAG_WHEN,
		.commands = TRACE,
		.field = FIELD(before),
	},
	{
		.name = "jobs",
		.value = "N",
		.help = "Let so many perfs decode at a time (one less than CPUs if not given), at most 8, "
			"where the trace is sure to be the same: for Intel PT in a buffer of each "
			"thread, without both MTC and CYC packets",
		.kind = FLAG_JOBS,
		.commands = TRACE,
		.field = FIELD(jobs),
	},
	{
		.name = "sampling",
		.help = "Sample stacks instead of recording branches with Intel PT; for decode: the recording "
			"holds sampled stacks",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(sampling),
	},
	{
		.name = "backend",
		.value = "BACKEND",
		.help = "What records: pt (Intel PT), sampling, software, or auto: pt where it is, "
			"else sampling",
		.kind = FLAG_CHOICE,
		.choices = record_backends,
		.commands = RECORD,
		.field = FIELD(backend),
	},
	{
		.name = "software",
		.help = "Short for -backend software: every call without Intel PT. run executes the "
			"program under QEMU (4 to 40 times slower), or in single steps; attach in "
			"single steps",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(software),
	},
	{
		.name = "software-engine",
		.value = "ENGINE",
		.help = "What executes the program with -software: qemu, step (single steps), or "
			"auto: qemu where it can",
		.kind = FLAG_CHOICE,
		.choices = record_engines,
		.commands = RECORD,
		.field = FIELD(software_engine),
	},
	{
		.name = "software-time",
		.value = "TIME",
		.help = "What times are with -software: virtual (if not given; an instruction takes "
			"1 ns, a system call what it took), real, or instructions (as virtual, but "
			"a system call takes always the same: two runs give the same trace)",
		.kind = FLAG_CHOICE,
		.choices = record_times,
		.commands = RECORD,
		.field = FIELD(software_time),
	},
	{
		.name = "follow-fork",
		.help = "With -software: record the processes that the program forks, too; without, "
			"they run on unrecorded",
		.kind = FLAG_SWITCH,
		.commands = RECORD,
		.field = FIELD(follow_fork),
	},
	{
		.name = "callgraph-mode",
		.value = "MODE",
		.help = "How sampled stacks are, or were, taken: lbr (perf then stitches them), "
			"lbr-no-stitch, dwarf or fp (for programs built with frame pointers)",
		.kind = FLAG_CHOICE,
		.choices = recording_callgraphs,
		.commands = TRACE,
		.field = FIELD(callgraph_mode),
	},
	{
		.name = "trace-include-kernel",
		.help = "Record user and kernel code; for decode: the recording holds both",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(include_kernel),
	},
	{
		.name = "trace-kernel-only",
		.help = "Record kernel code only; for decode: the recording holds only that",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(kernel_only),
	},
	{
		.name = "symfs",
		.value = "DIR",
		.help = "Where perf looks for programs and libraries: a copy of the root directory "
			"of the machine of the recording",
		.kind = FLAG_DIR,
		.commands = TRACE,
		.field = FIELD(symfs),
	},
	{
		.name = "executable",
		.value = "FILE",
		.help = "The traced program, for the source lines of its functions when the recording "
			"does not say what was mapped; one that is not position independent and "
			"has debug info",
		.kind = FLAG_FILE,
		.commands = DECODE,
		.field = FIELD(executable),
	},
	{
		.name = "no-demangle",
		.help = "Show the names of C++, Rust, D and OCaml functions as they stand in symbol "
			"tables",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(no_demangle),
	},
	{
		.name = "inline",
		.value = "on|off",
		.help = "Whether functions that the compiler put into others are drawn as calls of "
			"their own inside them, where debug info tells (on if not given, except "
			"with -stacks reference); for Intel PT only",
		.kind = FLAG_CHOICE,
		.choices = on_off,
		.commands = TRACE,
		.field = FIELD(inlined),
	},
	{
		.name = "max-depth",
		.value = "N|none",
		.help = "Show at most N frames of a stack (500 if not given; viewers misplace what "
			"is deeper than 512); none: no limit",
		.kind = FLAG_DEPTH,
		.commands = TRACE,
		.field = FIELD(max_depth),
	},
	{
		.name = "stacks",
		.value = "RULES",
		.help = "How frames are left: true (if not given): exceptions, longjmp, signals and "
			"other stacks as they were; reference: as the OCaml magic-trace draws them",
		.kind = FLAG_CHOICE,
		.choices = stack_rules,
		.commands = TRACE,
		.field = FIELD(stacks),
	},
	{
		.name = "time-spread",
		.value = "RULE",
		.help = "How branches that share a timestamp are told apart: work (if not given): "
			"by the code that ran between them, up to the timestamp; reference: as "
			"the OCaml magic-trace does, calls evenly up to the next one",
		.kind = FLAG_CHOICE,
		.choices = time_rules,
		.commands = TRACE,
		.field = FIELD(time_spread),
	},
	{
		.name = "share",
		.help = "Run the command in MAGIC_TRACE_SHARE_COMMAND with the finished file as its last "
			"argument, without a shell",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(share),
	},
	{
		.name = "json",
		.help = "Print JSON instead of a table",
		.kind = FLAG_SWITCH,
		.commands = ON(COMMAND_CHECK),
		.field = FIELD(json),
	},
	{
		.name = "z-print-events",
		.help = "Print each event on standard output as it is read",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(print_events),
	},
	{
		.name = "z-print-perf-commands",
		.help = "Print the commands that run perf, ready for a shell",
		.kind = FLAG_SWITCH,
		.commands = TRACE,
		.field = FIELD(print_perf_commands),
	},
	{
		.name = "man",
		.help = "Print the manual page",
		.kind = FLAG_SWITCH,
		.commands = ON(COMMAND_HELP),
		.field = FIELD(man),
		.hidden = true,
	},
	{
		.name = "bash",
		.help = "Print the completion for bash",
		.kind = FLAG_SWITCH,
		.commands = ON(COMMAND_HELP),
		.field = FIELD(bash),
		.hidden = true,
	},
	{
		.name = "help",
		.alias = "h",
		.help = "Explain the command and its flags",
		.kind = FLAG_SWITCH,
		.commands = ALL,
		.field = FIELD(help),
	},
};

#define N_FLAGS (sizeof(table) / sizeof(table[0]))

_Static_assert(N_FLAGS <= FLAGS_MAX, "FLAGS_MAX");

const struct flag *flags_table(size_t *n)
{
	*n = N_FLAGS;
	return table;
}

bool flag_is_shown(const struct flag *flag, enum command_id command)
{
	return !flag->hidden && (flag->commands & ON(command));
}

static bool is_named(const struct flag *flag, struct str name)
{
	return str_eq(name, str_of(flag->name)) ||
	       (flag->alias && str_eq(name, str_of(flag->alias)));
}

const struct flag *flag_find(enum command_id command, struct str name)
{
	for (size_t i = 0; i < N_FLAGS; i++) {
		if ((table[i].commands & ON(command)) && is_named(&table[i], name))
			return &table[i];
	}
	return NULL;
}
