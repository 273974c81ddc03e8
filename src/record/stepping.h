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
#include "record/stepsettings.h"
#include "record/tracer.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stepping;

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
