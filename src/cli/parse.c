/* SPDX-License-Identifier: MIT */
#include "cli/parse.h"

#include "base/nearest.h"
#include "base/str.h"
#include "cli/flags.h"
#include "cli/values.h"
#include "record/resolution.h"

#include <stdio.h>
#include <string.h>

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
	const char *names[FLAGS_MAX];
	size_t n_flags;
	const struct flag *flags = flags_table(&n_flags);
	const char *near;
	char word[64];
	size_t n = 0;

	for (size_t i = 0; i < n_flags; i++) {
		if (flag_is_shown(&flags[i], command))
			names[n++] = flags[i].name;
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

static int no_value(const struct flag *flag, struct err *err)
{
	err_set(err, "-%s needs a value: -%s %s", flag->name, flag->name, flag->value);
	/* as `-pid $(pidof prog)` is when there is no prog */
	return flag->kind == FLAG_PIDS ? err_hint(err, "does the program run?") : -1;
}

static int store(const struct flag *flag, const char *value, struct options *options,
		 struct err *err)
{
	void *field = (char *)options + flag->field;
	int r = 0;

	if (flag->kind != FLAG_SWITCH && !*value)
		return no_value(flag, err);
	switch (flag->kind) {
	case FLAG_SWITCH: *(bool *)field = true; return 0;
	case FLAG_TEXT:
	case FLAG_FILE:
	case FLAG_DIR: *(const char **)field = value; return 0;
	case FLAG_CHOICE: return parse_choice(flag, value, field, err);
	case FLAG_FILTER: return filter_arg_parse(field, value, err);
	case FLAG_DEPTH: r = value_depth(value, field, err); break;
	case FLAG_JOBS: r = value_jobs(value, field, err); break;
	case FLAG_SIZE: r = value_size(value, field, err); break;
	case FLAG_SECONDS: r = value_seconds(value, field, err); break;
	case FLAG_WHEN: r = value_when(value, field, err); break;
	case FLAG_LENGTH: r = value_length(value, field, err); break;
	case FLAG_FD: r = value_fd(value, field, err); break;
	case FLAG_PIDS: r = value_pids(value, field, err); break;
	case FLAG_EVENTS: r = value_events(value, field, err); break;
	case FLAG_RESOLUTION: r = resolution_parse(field, value, err); break;
	}
	return r < 0 ? err_prefix(err, "-%s", flag->name) : 0;
}

/* Reads the flag argv[0], and its value; *used is how many arguments that were. */
static int parse_flag(enum command_id command, int argc, char **argv, int *used,
		      struct options *options, struct err *err)
{
	const struct flag *flag = flag_find(command, flag_name(argv[0]));
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
		    (is_flag(argv[1]) && flag_find(command, flag_name(argv[1]))))
			return no_value(flag, err);
		value = argv[1];
		*used = 2;
	}
	return store(flag, value, options, err);
}

/* An argument that is no flag, before "--" or, for commands without a program, behind it. */
static int take_argument(const struct command *about, const char *arg, struct options *options,
			 struct err *err)
{
	if (!about->arg) {
		err_set(err, "%s takes no argument: '%s'", about->name, arg);
		if (arg[strspn(arg, "0123456789")] == '\0')
			err_hint(err, "several processes are given as -pid 1,2");
		else if (about->takes_command)
			err_hint(err, "a command to run goes behind --");
		return -1;
	}
	if (!options->arg) {
		options->arg = arg;
		return 0;
	}
	err_set(err, "%s takes one %s; the second is '%s'", about->name, about->arg, arg);
	if (about->takes_command)
		err_hint(err, "arguments of the program go behind --: %s %s -- %s", about->name,
			 options->arg, arg);
	return -1;
}

int parse(enum command_id command, int argc, char **argv, struct options *options, struct err *err)
{
	const struct command *about = command_get(command);
	bool flags = true;

	for (int i = 0, used; i < argc; i += used) {
		used = 1;
		if (flags && !strcmp(argv[i], "--")) {
			flags = false;
			if (!about->takes_command)
				continue;
			options->rest = i + 1 < argc ? &argv[i + 1] : NULL;
			return 0;
		}
		if (flags && is_flag(argv[i])) {
			if (parse_flag(command, argc - i, argv + i, &used, options, err) < 0)
				return -1;
			continue;
		}
		if (take_argument(about, argv[i], options, err) < 0)
			return -1;
	}
	return 0;
}
