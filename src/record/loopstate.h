/* SPDX-License-Identifier: MIT */
/* loopstate: what is known of a recording while it runs, for loop and what it is made of. */
#ifndef MT_RECORD_LOOPSTATE_H
#define MT_RECORD_LOOPSTATE_H

#include "perf/recordargs.h"
#include "record/sessionconfig.h"
#include "record/signals.h"
#include "record/software.h"
#include "record/target.h"
#include "record/tracer.h"
#include "record/trigger.h"
#include "record/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a recording ends. */
enum loop_end {
	LOOP_END_NOT_YET,
	LOOP_END_TARGETS,  /* all that is traced has ended */
	LOOP_END_SNAPSHOT, /* the one snapshot was taken */
	LOOP_END_TOLD,     /* Ctrl+C, a signal, the duration, or the command that ran meanwhile */
	LOOP_END_DISK,     /* the disk is nearly full */
};

struct loop {
	/* To be set before; owned by the caller. */
	const struct session_config *config;
	struct perf_record_settings settings;
	struct signals signals;
	struct target *program;    /* run; else NULL. Stopped */
	pid_t pid;                 /* the program's */
	struct target *command;    /* that of attach -- COMMAND, or NULL. Stopped */
	struct watch *watch;       /* attach; else NULL */
	struct trigger *trigger;   /* NULL: none */
	struct software *software; /* what records, when it is not perf; else NULL */
	/* What came of it. */
	enum loop_end end;
	size_t snapshots;  /* that were asked for and completed */
	unsigned int told; /* how often a signal asked for the end */
	/* Its own. */
	struct tracer tracer;
	struct pollfd *fds;
	int64_t deadline;       /* of -duration, ns of CLOCK_MONOTONIC; 0: none */
	bool going;             /* it is recorded, and the program runs */
	bool want;              /* a snapshot is wanted */
	bool taking;            /* a snapshot is being taken */
	bool last;              /* it, or the one before, is of what the rings held at the end */
	bool stopped;           /* the tracer was told to stop */
	unsigned int impatient; /* signals that came when it was ending already */
};

/* Its end has come; the first reason counts. */
static inline void loop_end(struct loop *loop, enum loop_end why)
{
	if (loop->end == LOOP_END_NOT_YET)
		loop->end = why;
}

#endif
