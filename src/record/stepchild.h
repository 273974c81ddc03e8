/* SPDX-License-Identifier: MIT */
/* stepchild: the process of stepping.h that steps, from fork(2) to its end. */
#ifndef MT_RECORD_STEPCHILD_H
#define MT_RECORD_STEPCHILD_H

#include "record/stepsettings.h"
#include "soft/stepaim.h"

#include <sys/types.h>

struct stepchild_config {
	const struct stepping_settings *settings;
	const struct stepaims *aims; /* so far */
	bool armed;
	int socket;
	pid_t parent;
};

/*
 * Starts it; to be called by a process that has one thread. It makes itself a process group, is
 * called mt-stepping (so that `pkill -9 magic-trace` does not take it along), keeps all signals
 * blocked, and has nothing open but the socket, standard error and what it records into. It obeys
 * the socket until that, or its parent, has ended; then it lets go of the target, completes the
 * recording, and ends. Its process id, or -1 with errno.
 */
pid_t stepchild_start(const struct stepchild_config *config);

#endif
