/* SPDX-License-Identifier: MIT */
/* shell: a command line that can be pasted into a shell. */
#ifndef MT_CLI_SHELL_H
#define MT_CLI_SHELL_H

#include "cli/line.h"

/*
 * Adds the words of argv, which ends in NULL, quoted where sh needs it; as bash reads them where
 * bytes are no UTF-8, or would steer a terminal.
 */
void shell_command(struct line *out, char *const *argv);

#endif
