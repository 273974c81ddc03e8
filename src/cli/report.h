/* SPDX-License-Identifier: MIT */
/* report: what the console says when perf is done. */
#ifndef MT_CLI_REPORT_H
#define MT_CLI_REPORT_H

#include "base/err.h"
#include "cli/pipeline.h"
#include "trace/trace.h"

/* What made no event, and what helps against decode errors; nothing when all went well. */
void report_losses(struct pipeline *p);

/* Why there is nothing to see in the trace. */
void report_empty(const struct pipeline *p, struct err *err);

/* Where the trace is, and what is in it; stats are those of trace_finish. */
void report_result(struct pipeline *p, const struct trace_stats *stats);

/*
 * Whether a line of perf's standard error says that data was lost while it recorded; then it is
 * counted for report_losses: perf says so for each data file, in five lines.
 */
bool report_is_lost(struct pipeline *p, struct str line);

#endif
