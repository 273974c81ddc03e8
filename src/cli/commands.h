/* SPDX-License-Identifier: MIT */
/* commands: what the program does, and what there is to say about it, as tables. */
#ifndef MT_CLI_COMMANDS_H
#define MT_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum command_id {
	COMMAND_RUN,
	COMMAND_ATTACH,
	COMMAND_DECODE,
	COMMAND_CHECK,
	COMMAND_VERSION,
	COMMAND_HELP,
	COMMANDS,
};

/* A thing and what it is: an example and what it does, a variable and what it sets. */
struct entry {
	const char *term;
	const char *text;
};

struct command {
	const char *name;
	const char *arg;              /* the argument that is no flag; NULL: there is none */
	bool takes_command;           /* what follows "--" is a program and its arguments */
	const char *summary;          /* a few words */
	const char *about;            /* sentences */
	const struct entry *usage;    /* ends in a NULL term; texts are not used */
	const struct entry *examples; /* ends in a NULL term */
};

const struct command *command_get(enum command_id id) __attribute__((returns_nonnull));

/* The command of that name, or COMMANDS. */
enum command_id command_find(const char *name);

/* Examples of the program as a whole, the exit statuses, the variables: each ends in a NULL term.
 */
const struct entry *program_examples(void);
const struct entry *program_statuses(void);
const struct entry *program_variables(void);

#endif
