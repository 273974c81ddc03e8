/* SPDX-License-Identifier: MIT */
/*
 * trace: the trace file. Spans in; Fuchsia trace format (FXT), compressed by the file's suffix,
 * out.
 *
 * Written as a stream under a temporary name in the same directory; only trace_finish puts it in
 * place, and then an older file of the same name is kept as FILE.old.
 */
#ifndef MT_TRACE_TRACE_H
#define MT_TRACE_TRACE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is asked for: where a function is defined, or where it was called from. Of one that was
 * inlined: where it begins, or is called, as far as that is known at a place in it.
 */
struct source_place {
	uint64_t addr; /* where the function begins, or of the call; or in the inlined one */
	int32_t pid;
	uint32_t dso;     /* a number of the names; INTERN_NONE: not known */
	uint32_t inlined; /* 0; or the inlined one's depth, 1 the outermost */
	bool is_call;
};

/* What is known of it. file is borrowed from whoever answers. */
struct source_line {
	struct str file;    /* empty: not known */
	uint32_t line, col; /* col 0: not known */
	/*
	 * Of a function that is a clone that the compiler made of the one it is called by: what is
	 * behind its name (".cold"), a number of the names; else INTERN_NONE.
	 */
	uint32_t clone;
};

struct trace_options {
	const char *path;           /* see trace_check_path */
	const struct intern *names; /* what span names and DSOs are numbers of */
	/*
	 * What times are when they are not those of a clock while the program ran freely: a word or
	 * two, for the names of tracks, and a sentence for the file's metadata. NULL: they are.
	 */
	const char *clock, *clock_sentence;
	bool mark_inferred; /* put " [inferred start time]" behind inferred begins' names */
	/*
	 * A process's command line, a thread's comm; NULL when not known. Borrowed. May be NULL.
	 */
	const char *(*command_line)(void *ctx, int32_t pid);
	const char *(*comm)(void *ctx, int32_t pid, int32_t tid);
	/* Fills *out, which is all zero; false: nothing is known. Asked once a place, or NULL. */
	bool (*source)(void *ctx, const struct source_place *place, struct source_line *out);
	void *ctx; /* of the three above */
};

struct trace_stats {
	uint64_t spans;      /* events written, begins and ends each counted */
	uint64_t begins;     /* of these, begins: calls shown */
	uint64_t drawn;      /* of spans: what a person came to see: all but counters, marks of
				decode errors and hits */
	uint64_t raw_bytes;  /* FXT before compression; valid after trace_finish */
	uint64_t file_bytes; /* of the file; valid after trace_finish */
	uint64_t cut_names; /* names that were longer than the format takes, and cut (distinct ones)
			     */
	uint64_t bad_utf8;  /* names with bytes that are not UTF-8, replaced by U+FFFD (distinct) */
	uint64_t redefined; /* string indexes used again for another name */
};

struct trace;

/*
 * Whether path can be written by its name: 0 when it ends in .fxt, .fxt.gz or .fxt.zst, which says
 * how it is compressed; and when it exists and is neither a regular file nor a directory
 * (/dev/null, a pipe), which without such a suffix gets plain FXT. Else -1 with err and the list of
 * suffixes.
 */
int trace_check_path(const char *path, struct err *err);

/*
 * Makes the temporary file beside path (path itself when that is a device or a pipe).
 * 0 and *trace, or -1 with err (no such directory, not writable, or as trace_check_path).
 */
int trace_open(const struct trace_options *options, struct trace **trace, struct err *err);

/*
 * Says what wall-clock time (ns since 1970) time 0 of the trace is. Only before the first track or
 * span; without it the trace has no absolute time.
 */
void trace_wall_clock(struct trace *trace, int64_t ns);

/* Where spans go. Valid until trace_finish or trace_abort. */
struct span_sink trace_sink(struct trace *trace);

/* The counts so far. */
const struct trace_stats *trace_stats(const struct trace *trace);

/* 0, or -1 with the first failure to write in err (disk full): to be asked now and then. */
int trace_error(struct trace *trace, struct err *err);

/*
 * Writes what is left, puts the file in place, frees trace. *stats (may be NULL) gets the final
 * counts. -1 with err when anything could not be written: then path is what it was before.
 */
int trace_finish(struct trace *trace, struct trace_stats *stats, struct err *err);

/* Frees trace and removes the temporary file; path is left alone. */
void trace_abort(struct trace *trace);

/*
 * Removes the temporary file of the trace that is open, if any, and does nothing else: for signal
 * handlers and for the end of the process. Async-signal-safe.
 */
void trace_unlink_temporary(void);

#endif
