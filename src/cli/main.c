/* SPDX-License-Identifier: MIT */
/* main: which command, and its arguments. */
#include "base/err.h"
#include "base/nearest.h"
#include "base/xalloc.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/decode.h"
#include "cli/help.h"
#include "cli/man.h"
#include "cli/options.h"
#include "cli/parse.h"
#include "cli/record.h"
#include "cli/status.h"
#include "cli/version.h"

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int unknown_command(const char *name, struct err *err)
{
	const char *names[COMMANDS];
	const char *near;

	for (enum command_id id = 0; id < COMMANDS; id++)
		names[id] = command_get(id)->name;
	near = nearest(name, names, COMMANDS);
	err_set(err, "there is no command '%s'", name);
	if (near)
		return err_hint(err, "did you mean %s?", near);
	return err_hint(err, "magic-trace help lists the commands");
}

/* What was written to standard output must have arrived. */
static enum status printed(struct console *console)
{
	struct err err = ERR_INIT;

	if (fflush(stdout) == 0 && !ferror(stdout))
		return STATUS_WHOLE;
	err_errno(&err, "standard output");
	console_error(console, &err);
	return STATUS_NONE;
}

static enum status usage_error(struct console *console, const struct err *err)
{
	console_error(console, err);
	return STATUS_USAGE;
}

static enum status help(const struct options *options, struct console *console)
{
	struct err err = ERR_INIT;
	enum command_id id;

	if (options->man) {
		man_page(stdout);
	} else if (options->bash) {
		completion_bash(stdout);
	} else if (!options->arg) {
		help_program(stdout);
	} else {
		id = command_find(options->arg);
		if (id == COMMANDS) {
			unknown_command(options->arg, &err);
			return usage_error(console, &err);
		}
		help_command(stdout, id);
	}
	return printed(console);
}

static int run(enum command_id id, const struct options *options, struct console *console)
{
	if (options->help) {
		help_command(stdout, id);
		return printed(console);
	}
	switch (id) {
	case COMMAND_RUN: return run_command(options, console);
	case COMMAND_ATTACH: return attach_command(options, console);
	case COMMAND_DECODE: return decode_command(options, console);
	case COMMAND_CHECK: return check_command(options, console);
	case COMMAND_VERSION: printf("%s\n", version()); return printed(console);
	case COMMAND_HELP: return help(options, console);
	case COMMANDS: break;
	}
	return STATUS_USAGE;
}

/* A command's name, or the flag that other programs have for it. */
static enum command_id find_command(const char *name)
{
	if (!strcmp(name, "-h") || !strcmp(name, "-help") || !strcmp(name, "--help"))
		return COMMAND_HELP;
	if (!strcmp(name, "-version") || !strcmp(name, "--version"))
		return COMMAND_VERSION;
	return command_find(name);
}

/* So that no file of ours is taken for a standard one that was closed. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Whoever started us may ignore it: then the kernel forgets how perf ended, see waitpid(2). */
static void keep_exit_statuses(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	sigaction(SIGCHLD, &dfl, NULL);
}

/* One that is told that there is no memory may free what it has not got: Jansson 2.14 does. */
static void end_without_memory(void)
{
	json_set_alloc_funcs(xmalloc, free);
}

/*
 * It reads and writes what its user names, and runs what the environment names: who could lend it
 * another user's rights could do anything with them.
 */
static int refuse_lent_rights(struct console *console)
{
	struct err err = ERR_INIT;

	err_set(&err,
		"this file is set-user-ID or set-group-ID, which magic-trace is not made for");
	err_hint(&err,
		 "chmod ug-s magic-trace; `magic-trace check` says what users need to record");
	console_error(console, &err);
	return STATUS_NONE;
}

int main(int argc, char **argv)
{
	struct options options = OPTIONS_INIT;
	struct err err = ERR_INIT;
	struct console console;
	enum command_id id;
	int status;

	open_standard_files();
	keep_exit_statuses();
	end_without_memory();
	console_init(&console, STDERR_FILENO);
	if (getuid() != geteuid() || getgid() != getegid())
		return refuse_lent_rights(&console);
	if (argc < 2) {
		help_program(stderr);
		return STATUS_USAGE;
	}
	id = find_command(argv[1]);
	if (id == COMMANDS) {
		unknown_command(argv[1], &err);
		return usage_error(&console, &err);
	}
	if (parse(id, argc - 2, argv + 2, &options, &err) < 0)
		status = usage_error(&console, &err);
	else
		status = run(id, &options, &console);
	options_fini(&options);
	return status;
}
