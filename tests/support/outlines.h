/* SPDX-License-Identifier: MIT */
/* outlines: what a command prints, held against what has to be in it. */
#ifndef MT_TESTS_SUPPORT_OUTLINES_H
#define MT_TESTS_SUPPORT_OUTLINES_H

#include "support/scratch.h"

/* Runs it in the directory of s: these have to be there, in this order; others do not matter. */
static inline void outlines_check(struct scratch *s, const char *command, const char *const *want)
{
	char full[700], *line, *text;

	snprintf(full, sizeof(full), "%s >out 2>&1", command);
	scratch_run(s, full);
	text = scratch_get(scratch_path(s, "out"), NULL);
	line = text;
	for (; *want; want++) {
		line = strstr(line, *want);
		ck_assert_msg(line != NULL, "no '%s' at its place in: %.3000s", *want, text);
		line += strlen(*want);
	}
	free(text);
}

#endif
