/* SPDX-License-Identifier: MIT */
/* completion: the tables of flags and commands as completion for shells. */
#ifndef MT_CLI_COMPLETION_H
#define MT_CLI_COMPLETION_H

#include <stdio.h>

/* Writes a script that bash sources. */
void completion_bash(FILE *out);

#endif
