/* SPDX-License-Identifier: MIT */
/*
 * flags: the one table of flags. The parser, -help, the man page and the shell completion are all
 * made from it, and from the table of commands (cli/commands.h).
 */
#ifndef MT_CLI_FLAGS_H
#define MT_CLI_FLAGS_H

#include "base/str.h"
#include "cli/commands.h"
#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

/* What a flag's value is, and what its field in struct options is. */
enum flag_kind {
	FLAG_SWITCH,     /* no value; bool */
	FLAG_TEXT,       /* const char * */
	FLAG_FILE,       /* const char * */
	FLAG_DIR,        /* const char * */
	FLAG_CHOICE,     /* one of `choices`; const char * */
	FLAG_FILTER,     /* see cli/filter_arg.h; struct filter_arg */
	FLAG_RESOLUTION, /* see record/resolution.h; struct resolution */
	/* see cli/values.h */
	FLAG_DEPTH,   /* uint32_t */
	FLAG_JOBS,    /* uint32_t */
	FLAG_SIZE,    /* uint64_t */
	FLAG_SECONDS, /* uint64_t */
	FLAG_WHEN,    /* struct when */
	FLAG_LENGTH,  /* struct when */
	FLAG_FD,      /* int */
	FLAG_PIDS,    /* struct pid_list */
	FLAG_EVENTS,  /* struct extra_events */
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

/* No table is longer. */
#define FLAGS_MAX 64

/* Whether a command has a flag, and shows it. */
bool flag_is_shown(const struct flag *flag, enum command_id command);

/* The table; *n is its length. */
const struct flag *flags_table(size_t *n);

/* The flag of that name, or short name, of a command; NULL: it has none. */
const struct flag *flag_find(enum command_id command, struct str name);

#endif
