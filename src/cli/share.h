/* SPDX-License-Identifier: MIT */
/* share: -share, which hands the finished trace to a command of the user's. */
#ifndef MT_CLI_SHARE_H
#define MT_CLI_SHARE_H

#include "base/err.h"

/* The command in MAGIC_TRACE_SHARE_COMMAND; NULL with err: there is none. */
const char *share_command(struct err *err);

/*
 * Runs the command by /bin/sh with the path of the trace as its last argument, our standard files
 * and default signals, and waits for its end. -1 with err: it cannot be run, or it failed.
 */
int share(const char *command, const char *path, struct err *err);

#endif
