/* SPDX-License-Identifier: MIT */
/* listener: who hears what happens during a recording. */
#ifndef MT_RECORD_LISTENER_H
#define MT_RECORD_LISTENER_H

#include "base/err.h"
#include "base/str.h"

struct listener {
	void *ctx;
	void (*say)(void *ctx, const char *line); /* "[ Snapshot taken. ]" */
	void (*warn)(void *ctx, const struct err *what);
	void (*perf_line)(void *ctx, struct str line);       /* of perf's standard error */
	void (*perf_command)(void *ctx, char *const argv[]); /* about to be run; may be NULL */
};

/* One line (printf style, cut at 511 bytes). */
void listener_say(const struct listener *listener, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void listener_warn(const struct listener *listener, const struct err *what);

#endif
