/* SPDX-License-Identifier: MIT */
/*
 * flags: the one table of flags. The parser, -help, the man page and the shell completion are all
 * made from it, and from the table of commands (cli/commands.h).
 */
#ifndef MT_CLI_FLAGS_H
#define MT_CLI_FLAGS_H

#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

/* What a flag's value is, and what its field in struct options is. */
enum flag_kind {
	FLAG_SWITCH, /* no value; bool */
	FLAG_FILE,   /* const char * */
	FLAG_DIR,    /* const char * */
	FLAG_CHOICE, /* one of `choices`; const char * */
	FLAG_DEPTH,  /* a number from 1, or "none"; uint32_t, 0 for none */
	FLAG_FILTER, /* see cli/filter_arg.h; struct filter_arg */
};

struct flag {
	const char *name;           /* without dashes */
	const char *alias;          /* a short name, or NULL */
	const char *value;          /* what the value is called in help; NULL for a switch */
	const char *help;           /* a sentence without its stop */
	const char *const *choices; /* FLAG_CHOICE: ends in NULL */
	enum flag_kind kind;
	unsigned commands; /* those that have it: 1 << enum command_id, or'ed */
	size_t field;      /* its offset in struct options */
	bool hidden;       /* for the Makefile, not for people: in no help */
};

/* Whether a command has a flag, and shows it. */
bool flag_is_shown(const struct flag *flag, enum command_id command);

/* The table; *n is its length. */
const struct flag *flags_table(size_t *n);

/*
 * Reads the arguments behind the command's name into *options, which OPTIONS_INIT has filled.
 *
 * A flag has one dash or two, its value behind '=' or as the next argument; what follows "--" is no
 * flag. The last of several equal flags counts. -1 with err: a flag that the command does not have
 * (with the nearest one that it has), a value that is missing or not accepted (with what is), a
 * second argument that is no flag.
 */
int flags_parse(enum command_id command, int argc, char **argv, struct options *options,
		struct err *err);

#endif
