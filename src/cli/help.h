/* SPDX-License-Identifier: MIT */
/* help: what the tables of flags and commands say, for a terminal. */
#ifndef MT_CLI_HELP_H
#define MT_CLI_HELP_H

#include "cli/commands.h"

#include <stdio.h>

/* The program as a whole. */
void help_program(FILE *out);

/* One command: examples, usage, flags. */
void help_command(FILE *out, enum command_id id);

#endif
