/* SPDX-License-Identifier: MIT */
/* stepsettings: what stepping, and the process that steps, are told to record. */
#ifndef MT_RECORD_STEPSETTINGS_H
#define MT_RECORD_STEPSETTINGS_H

#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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

#endif
