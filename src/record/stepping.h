/* SPDX-License-Identifier: MIT */
/*
 * stepping: records by single steps (soft/stepper.h), in a process of its own, which lets go of the
 * target when we are gone: were it killed itself while it steps, the target would die of a SIGTRAP.
 *
 * The process has a group of its own, so that keys of the terminal do not reach it; it is told what
 * to do by a socket, and ends when that is closed.
 */
#ifndef MT_RECORD_STEPPING_H
#define MT_RECORD_STEPPING_H

#include "base/err.h"
#include "record/hit.h"
#include "record/tracer.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stepping;

struct stepping_settings {
	const char *data; /* the data file */
	pid_t pid;
	bool held; /* as of struct stepper_config: another tracer, we, holds it at its exec */
	enum recorder_time time;
	size_t ring; /* bytes for each thread; 0: all is kept */
	bool multi_thread, follow_fork;
	/*
	 * A data file for each snapshot, and on it goes; else the first hit ends the recording
	 * behind it, and so does a snapshot.
	 */
	bool multi_snapshot;
	char *const *command_line; /* of the recorder, for the file */
};

struct stepping *stepping_new(void) __attribute__((returns_nonnull));

/* Hits of the addresses that are added, before or after the start. Owned by the stepping. */
struct hit_source stepping_hits(struct stepping *stepping);

/*
 * Starts the process, which attaches to the target. The settings are needed until then. 0 and
 * *tracer, which is the stepping's own, or -1 with err. That the target cannot be stepped is told
 * by the tracer: it ends before it records, and its finish says why.
 */
int stepping_start(struct stepping *stepping, const struct stepping_settings *settings,
		   struct tracer *tracer, struct err *err);

/* What has been recorded; known when the tracer has ended. false: it is not. */
bool stepping_stats(const struct stepping *stepping, struct recorder_stats *stats);

/* Ends it if need be. */
void stepping_free(struct stepping *stepping);

#endif
