/* SPDX-License-Identifier: MIT */
/* record: the commands `run` and `attach`: record, then decode what was recorded. */
#ifndef MT_CLI_RECORD_H
#define MT_CLI_RECORD_H

#include "cli/console.h"
#include "cli/options.h"

/*
 * Each returns what the program is to exit with: an enum status, or with -program-status that of
 * the program that was run (128 and its number for a signal).
 */
int run_command(const struct options *options, struct console *console);
int attach_command(const struct options *options, struct console *console);

#endif
