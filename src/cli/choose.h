/* SPDX-License-Identifier: MIT */
/* choose: the user picks one line of a list, in the fuzzy finder fzf. */
#ifndef MT_CLI_CHOOSE_H
#define MT_CLI_CHOOSE_H

#include "base/err.h"

#include <stdio.h>

struct choose {
	const char *prompt; /* "process> " */
	const char *header; /* a line that stays above the list; NULL: none */
	const char *flag;   /* what makes the question unnecessary, for errors: "-pid PID" */
	/*
	 * Writes the list, a line each, printable. When the user has chosen before it is done, what
	 * it writes is lost (ferror): it may end early. Called once, while fzf runs.
	 */
	void (*write)(void *ctx, FILE *to);
	void *ctx;
};

/*
 * Runs the fzf in PATH on the terminal until the user has chosen. 0 and the line in *chosen (free
 * with free()), or -1 with err: there is no fzf (names the package and the flag), there is no
 * terminal, nothing was chosen (Esc, Ctrl+C, no match), fzf failed.
 */
int choose(const struct choose *question, char **chosen, struct err *err);

#endif
