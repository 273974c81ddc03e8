/* SPDX-License-Identifier: MIT */
/* man: what the tables of flags and commands say, as the manual page magic-trace(1). */
#ifndef MT_CLI_MAN_H
#define MT_CLI_MAN_H

#include <stdio.h>

/* Writes the page in the macros of man(7). */
void man_page(FILE *out);

#endif
