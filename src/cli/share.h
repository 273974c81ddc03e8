/* SPDX-License-Identifier: MIT */
/* share: -share, which hands the finished trace to a command of the user's. */
#ifndef MT_CLI_SHARE_H
#define MT_CLI_SHARE_H

#include "base/err.h"

/*
 * The command in MAGIC_TRACE_SHARE_COMMAND: words, as words_split() takes them apart. NULL with
 * err: there is none, or its quotations do not end.
 */
const char *share_command(struct err *err);

/*
 * Runs the command, without a shell, with the path of the trace as its last argument, our standard
 * files and default signals, and waits for its end. -1 with err: it cannot be run, or it failed.
 */
int share(const char *command, const char *path, struct err *err);

#endif
