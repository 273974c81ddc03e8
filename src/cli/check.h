/* SPDX-License-Identifier: MIT */
/* check: the command that says what can be recorded on this machine. */
#ifndef MT_CLI_CHECK_H
#define MT_CLI_CHECK_H

#include "cli/console.h"
#include "cli/options.h"
#include "cli/status.h"
#include "record/checkup.h"

#include <stdio.h>

/*
 * Looks at the machine and prints what it finds to standard output, as a table or (-json) as JSON.
 * STATUS_WHOLE when something can be recorded, else STATUS_NONE.
 */
enum status check_command(const struct options *options, struct console *console);

/* The table: a point a line, what would improve it below; the last line is the result. */
void check_print_table(FILE *to, const struct checkup *checkup);

/*
 * The same as a JSON object: "version" (ours), "records" ("intel_pt", "sampling" or null), "event",
 * "result", "remedy" and "items", a list of objects of "name", "state", "what" and "remedy"; what
 * there is nothing to say about is null.
 */
void check_print_json(FILE *to, const struct checkup *checkup);

#endif
