/* SPDX-License-Identifier: MIT */
/* parse: the command line, read by the table of flags. */
#ifndef MT_CLI_PARSE_H
#define MT_CLI_PARSE_H

#include "base/err.h"
#include "cli/commands.h"
#include "cli/options.h"

/*
 * Reads the arguments behind the command's name into *options, which OPTIONS_INIT has filled.
 *
 * A flag has one dash or two, its value behind '=' or as the next argument; what follows "--" is no
 * flag, and with a command that runs a program it is that program's (options->rest). The last of
 * several equal flags counts. -1 with err: a flag that the command does not have (with the nearest
 * one that it has), a value that is missing or not accepted (with what is), a second argument that
 * is no flag.
 */
int parse(enum command_id command, int argc, char **argv, struct options *options, struct err *err);

#endif
