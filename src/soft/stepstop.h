/* SPDX-License-Identifier: MIT */
/* stepstop: what it means that a stepped thread has stopped (ptrace(2), "Stopped states"). */
#ifndef MT_SOFT_STEPSTOP_H
#define MT_SOFT_STEPSTOP_H

#include "soft/steptask.h"

#include <sys/types.h>

/*
 * Takes what waitpid(2) said of a thread: tells the recorder what it has executed, and makes it
 * ready to be resumed, or lets it go, or removes it.
 */
void stepstop_take(struct stepset *set, pid_t tid, int status);

/* Tells the recorder all executable mappings of the task's process that it does not know. */
void stepstop_tell_mappings(const struct steptask *task);

#endif
