/* SPDX-License-Identifier: MIT */
/* functions: those of a process, for the user to choose one. */
#ifndef MT_CLI_FUNCTIONS_H
#define MT_CLI_FUNCTIONS_H

#include "base/err.h"

#include <sys/types.h>

/*
 * Lets the user choose a function of the program of process pid. 0 and its name (free with free()),
 * or -1 with err: as choose says, or the program's symbols cannot be read.
 */
int functions_choose(pid_t pid, char **function, struct err *err);

#endif
