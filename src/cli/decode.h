/* SPDX-License-Identifier: MIT */
/* decode: a recording in, a trace file out. */
#ifndef MT_CLI_DECODE_H
#define MT_CLI_DECODE_H

#include "cli/console.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "cli/status.h"

/*
 * Decodes the recording settings->input, after settings_begin, and writes the trace. Everything it
 * has to say goes to the console.
 */
enum status decode_recording(const struct options *options, const struct settings *settings,
			     struct console *console);

/* The command `decode`. Everything it has to say goes to the console. */
enum status decode_command(const struct options *options, struct console *console);

#endif
