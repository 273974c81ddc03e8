/* SPDX-License-Identifier: MIT */
/* summary: what is said at the end of a decode. */
#ifndef MT_CLI_SUMMARY_H
#define MT_CLI_SUMMARY_H

#include "base/err.h"
#include "base/intern.h"
#include "base/str.h"
#include "cli/line.h"
#include "cli/tally.h"
#include "perf/text.h"
#include "stack/stacks.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stddef.h>

/* All borrowed. */
struct summary {
	const char *path;  /* of the trace */
	const char *clock; /* of struct trace_options */
	const struct stacks_stats *stacks;
	const struct trace_stats *trace;
	const struct perf_text_stats *text;
	const struct tally *errors; /* sorted */
	const struct intern *names;
};

/*
 * One line without its newline: threads, time, calls, decode errors by kind, lines not understood,
 * whatever else was lost or changed (when anything was), the file's size.
 */
void summary_line(struct line *out, const struct summary *summary);

/* What made no event, by kind: "120 x mwait, 3 x evt". Nothing when there is nothing. */
void summary_notes(struct line *out, const struct perf_note *notes, size_t n);

/* What a note says when its kind occurs for the first time. */
void summary_note(struct line *out, const struct perf_note *note);

/*
 * What most likely causes a decode error with this message, and what helps; NULL when we do not
 * know. software: it was recorded by an engine of ours. The messages are those of perf's
 * util/intel-pt-decoder.
 */
const char *summary_error_hint(struct str message, bool software);

#endif
