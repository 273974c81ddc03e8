/* SPDX-License-Identifier: MIT */
#include "cli/flags.h"

#include "base/nearest.h"
#include "base/num.h"
#include "base/str.h"
#include "record/recording.h"

#include <stdio.h>
#include <string.h>

#define ON(command) (1u << (command))
#define DECODE      ON(COMMAND_DECODE)
#define ALL         (ON(COMMANDS) - 1)
#define FIELD(name) offsetof(struct options, name)

static const struct flag table[] = {
	{
		.name = "working-directory",
		.value = "DIR",
		.help = "The directory of the recording: perf.data files, and recording.json if "
			"there is one",
		.kind = FLAG_DIR,
		.commands = DECODE,
		.field = FIELD(working_directory),
	},
	{
		.name = "output",
		.alias = "o",
		.value = "FILE",
		.help = "Where the trace goes: FILE.fxt.gz, .fxt or .fxt.zst (trace.fxt.gz if not "
			"given). An older file becomes FILE.old",
		.kind = FLAG_FILE,
		.commands = DECODE,
		.field = FIELD(output),
	},
	{
		.name = "filter",
		.value = "START:STOP",
		.help = "Show only what lies between a call of START and one of STOP; names as "
			"perf prints them. Also '(START STOP)', with \"...\" round names that have "
			"spaces, brackets or single colons",
		.kind = FLAG_FILTER,
		.commands = DECODE,
		.field = FIELD(filter),
	},
	{
		.name = "sampling",
		.help = "The recording holds sampled stacks, not Intel PT",
		.kind = FLAG_SWITCH,
		.commands = DECODE,
		.field = FIELD(sampling),
	},
	{
		.name = "callgraph-mode",
		.value = "MODE",
		.help = "How sampled stacks were recorded: lbr (perf then stitches them), "
			"lbr-no-stitch, dwarf or fp",
		.kind = FLAG_CHOICE,
		.choices = recording_callgraphs,
		.commands = DECODE,
		.field = FIELD(callgraph_mode),
	},
	{
		.name = "trace-include-kernel",
		.help = "The recording holds user and kernel code",
		.kind = FLAG_SWITCH,
		.commands = DECODE,
		.field = FIELD(include_kernel),
	},
	{
		.name = "trace-kernel-only",
		.help = "The recording holds kernel code only",
		.kind = FLAG_SWITCH,
		.commands = DECODE,
		.field = FIELD(kernel_only),
	},
	{
		.name = "symfs",
		.value = "DIR",
		.help = "Where perf looks for programs and libraries: a copy of the root directory "
			"of the machine of the recording",
		.kind = FLAG_DIR,
		.commands = DECODE,
		.field = FIELD(symfs),
	},
	{
		.name = "executable",
		.value = "FILE",
		.help = "The traced program, for the source lines of its functions; one that is "
			"not position independent and has debug info",
		.kind = FLAG_FILE,
		.commands = DECODE,
		.field = FIELD(executable),
	},
	{
		.name = "max-depth",
		.value = "N|none",
		.help = "Show at most N frames of a stack (500 if not given; viewers misplace what "
			"is deeper than 512); none: no limit",
		.kind = FLAG_DEPTH,
		.commands = DECODE,
		.field = FIELD(max_depth),
	},
	{
		.name = "z-print-events",
		.help = "Print each event on standard output as it is read",
		.kind = FLAG_SWITCH,
		.commands = DECODE,
		.field = FIELD(print_events),
	},
	{
		.name = "z-print-perf-commands",
		.help = "Print the commands that run perf, ready for a shell",
		.kind = FLAG_SWITCH,
		.commands = DECODE,
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

static const struct flag *find_flag(enum command_id command, struct str name)
{
	for (size_t i = 0; i < N_FLAGS; i++) {
		if ((table[i].commands & ON(command)) && is_named(&table[i], name))
			return &table[i];
	}
	return NULL;
}

/* The flag's name as the user wrote it: without dashes and value. */
static struct str flag_name(const char *arg)
{
	const char *name = arg + (arg[1] == '-' ? 2 : 1);

	return (struct str){ .p = name, .n = strcspn(name, "=") };
}

static bool is_flag(const char *arg)
{
	return arg[0] == '-' && arg[1];
}

static int unknown_flag(enum command_id command, const char *arg, struct err *err)
{
	struct str name = flag_name(arg);
	const char *names[N_FLAGS];
	const char *near;
	char word[64];
	size_t n = 0;

	for (size_t i = 0; i < N_FLAGS; i++) {
		if (flag_is_shown(&table[i], command))
			names[n++] = table[i].name;
	}
	snprintf(word, sizeof(word), "%.*s", (int)name.n, name.p);
	near = nearest(word, names, n);
	err_set(err, "%s has no flag -%.*s", command_get(command)->name, (int)name.n, name.p);
	if (near)
		return err_hint(err, "did you mean -%s?", near);
	return err_hint(err, "magic-trace help %s lists the flags", command_get(command)->name);
}

static int parse_choice(const struct flag *flag, const char *value, const char **out,
			struct err *err)
{
	char list[128] = "";
	size_t n = 0;

	for (const char *const *c = flag->choices; *c; c++) {
		if (!strcmp(*c, value)) {
			*out = *c;
			return 0;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", *c);
		if (n >= sizeof(list))
			n = sizeof(list) - 1;
	}
	return err_set(err, "-%s is one of %s, not '%s'", flag->name, list, value);
}

static int parse_depth(const struct flag *flag, const char *value, uint32_t *out, struct err *err)
{
	struct str s = str_of(value);
	uint64_t depth;

	if (!strcmp(value, "none")) {
		*out = 0;
		return 0;
	}
	if (!num_dec(&s, &depth) || s.n || depth == 0 || depth > UINT32_MAX)
		return err_set(err, "-%s is a number from 1 to %u, or none, not '%s'", flag->name,
			       UINT32_MAX, value);
	*out = (uint32_t)depth;
	return 0;
}

static int store(const struct flag *flag, const char *value, struct options *options,
		 struct err *err)
{
	void *field = (char *)options + flag->field;

	if (flag->kind != FLAG_SWITCH && !*value)
		return err_set(err, "-%s needs a value: -%s %s", flag->name, flag->name,
			       flag->value);
	switch (flag->kind) {
	case FLAG_SWITCH: *(bool *)field = true; return 0;
	case FLAG_FILE:
	case FLAG_DIR: *(const char **)field = value; return 0;
	case FLAG_CHOICE: return parse_choice(flag, value, field, err);
	case FLAG_DEPTH: return parse_depth(flag, value, field, err);
	case FLAG_FILTER: return filter_arg_parse(field, value, err);
	}
	return 0;
}

/* Reads the flag argv[0], and its value; *used is how many arguments that were. */
static int parse_flag(enum command_id command, int argc, char **argv, int *used,
		      struct options *options, struct err *err)
{
	const struct flag *flag = find_flag(command, flag_name(argv[0]));
	const char *value = strchr(argv[0], '=');

	if (!flag)
		return unknown_flag(command, argv[0], err);
	*used = 1;
	if (value)
		value++;
	if (flag->kind == FLAG_SWITCH) {
		if (value)
			return err_set(err, "-%s takes no value", flag->name);
		return store(flag, NULL, options, err);
	}
	if (!value) {
		/* The next flag is not the value of one that was left without. */
		if (argc < 2 || !strcmp(argv[1], "--") ||
		    (is_flag(argv[1]) && find_flag(command, flag_name(argv[1]))))
			return err_set(err, "-%s needs a value: -%s %s", flag->name, flag->name,
				       flag->value);
		value = argv[1];
		*used = 2;
	}
	return store(flag, value, options, err);
}

int flags_parse(enum command_id command, int argc, char **argv, struct options *options,
		struct err *err)
{
	const struct command *about = command_get(command);
	bool flags = true;

	for (int i = 0, used; i < argc; i += used) {
		used = 1;
		if (flags && !strcmp(argv[i], "--")) {
			flags = false;
			continue;
		}
		if (flags && is_flag(argv[i])) {
			if (parse_flag(command, argc - i, argv + i, &used, options, err) < 0)
				return -1;
			continue;
		}
		if (!about->arg)
			return err_set(err, "%s takes no argument: '%s'", about->name, argv[i]);
		if (options->arg)
			return err_set(err, "%s takes one %s; the second is '%s'", about->name,
				       about->arg, argv[i]);
		options->arg = argv[i];
	}
	return 0;
}
