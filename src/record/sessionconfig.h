/* SPDX-License-Identifier: MIT */
/* sessionconfig: what a session is told to record, and with what. */
#ifndef MT_RECORD_SESSIONCONFIG_H
#define MT_RECORD_SESSIONCONFIG_H

#include "base/err.h"
#include "record/listener.h"
#include "record/options.h"
#include "record/plan.h"
#include "record/recording.h"
#include "record/workdir.h"

#include <sys/types.h>

/* All is borrowed. */
struct session_config {
	const struct record_options *options;
	const struct plan *plan;
	struct workdir *dir;
	struct listener listener;
	/* Lets the user choose a function of a process, for a trigger "?": 0 and a name to free. */
	int (*choose)(void *ctx, pid_t pid, char **function, struct err *err);
	/*
	 * What is already known about the recording (the machine, our version): it gets the hits,
	 * processes and the rest, and is written into dir.
	 */
	struct recording *recording;
};

#endif
