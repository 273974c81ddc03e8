/* SPDX-License-Identifier: MIT */
/* decode: a recording in, a trace file out. */
#ifndef MT_CLI_DECODE_H
#define MT_CLI_DECODE_H

#include "cli/console.h"
#include "cli/options.h"
#include "cli/status.h"

/* The command `decode`. Everything it has to say goes to the console. */
enum status decode_command(const struct options *options, struct console *console);

#endif
