/* SPDX-License-Identifier: MIT */
/*
 * plan: what perf is to be asked for, from what the user wants and what the machine, the kernel and
 * this version of perf can do. Pure: looks at nothing but its arguments.
 */
#ifndef MT_RECORD_PLAN_H
#define MT_RECORD_PLAN_H

#include "base/err.h"
#include "perf/recordargs.h"
#include "record/host.h"
#include "record/options.h"

#include <stddef.h>

#define PLAN_NOTES 8

struct plan {
	enum backend backend; /* not BACKEND_AUTO */
	/*
	 * All but data, ids and n_ids, which are the caller's to fill in. Of BACKEND_SOFTWARE what
	 * is not perf's alone: the mode (PT), the scope, which threads, which snapshots.
	 */
	struct perf_record_settings perf;
	char event[160]; /* what perf.event points to */
	size_t ring;     /* of BACKEND_SOFTWARE: bytes for each thread; 0: all is kept */
	/* What the user should know: what was not possible, what is done instead, what is lost. */
	struct err notes[PLAN_NOTES];
	size_t n_notes;
};

enum plan_result {
	PLAN_MADE,
	/*
	 * Wrong on any machine like this one: options that exclude each other (-callgraph-mode or
	 * Sample with PT, Custom with sampling, -multi-snapshot with -full-execution), a snapshot
	 * size that there is not.
	 */
	PLAN_MISUSE,
	/*
	 * What this machine has not (-events without hardware counters, lbr without LBR, Custom
	 * without PT) or its kernel does not allow (with the sysctl, capability or variable that
	 * would make it): recording at all, so many samples, so large a snapshot.
	 */
	PLAN_IMPOSSIBLE,
};

/*
 * What is not PLAN_MADE comes with err. Without PT, and not asked for anything else, sampling is
 * the plan, and a note says why, and that software PT shows every call. The plan must not be moved:
 * it points into itself. Strings of the options are borrowed.
 */
enum plan_result plan_make(struct plan *plan, const struct record_options *options,
			   const struct host *host, const struct perf_version *version,
			   struct err *err);

#endif
