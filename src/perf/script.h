/* SPDX-License-Identifier: MIT */
/* script: runs `perf script` on a data file and hands over what it prints. */
#ifndef MT_PERF_SCRIPT_H
#define MT_PERF_SCRIPT_H

#include "base/err.h"
#include "base/input.h"
#include "base/str.h"
#include "perf/text.h"

struct perf_script_args {
	const char *perf;  /* the perf program: a path, or a name looked up in PATH */
	const char *data;  /* the data file */
	const char *symfs; /* handed to perf as --symfs, or NULL */
	enum perf_mode mode;
	bool stitch_lbr; /* the recording used LBR call graphs */
	bool raw_names;  /* symbols are printed as they stand in the symbol tables */
	/* Of Intel PT only: our filter (a path with a slash), which perf is to load; or NULL. */
	const char *filter;
	uint64_t cookie; /* what it is told, see perf_text_records */
	bool all;        /* it is to drop nothing */
	/*
	 * Only what happened from `from` up to `to` (ns of perf's clock, both from 0) is wanted;
	 * both 0: all. perf prints decode errors of other times, too.
	 */
	int64_t from, to;
	/* With a filter: all that perf prints goes to this file, from its position on; 0: none. */
	int spool;
	/* How long perf may go on when it has closed its output, in ms; 0: 10 s. */
	unsigned int patience_ms;
	/*
	 * Gets each line that perf prints to standard error, without its newline, cut at 4096
	 * bytes; called by reads and by perf_script_finish. May be NULL.
	 */
	void (*on_stderr)(void *ctx, struct str line);
	void *ctx;
};

struct perf_script;

/* The command line, as an argv that ends in NULL; free with perf_script_argv_free. */
char **perf_script_argv(const struct perf_script_args *args) __attribute__((returns_nonnull));
void perf_script_argv_free(char **argv);

/*
 * Starts perf, in a process group of its own, with PAGER=cat and LC_ALL=C; it dies with the thread
 * that started it (PR_SET_PDEATHSIG, prctl(2)).
 * 0 and *ps, or -1 with err (perf is missing, with a hint which package brings it; cannot be run).
 */
int perf_script_start(const struct perf_script_args *args, struct perf_script **ps,
		      struct err *err);

/*
 * Perf's standard output. Reading also drains its standard error, so that neither pipe blocks perf.
 * A read ends with -1 when perf_script_stop was called from a signal handler.
 */
struct input perf_script_input(struct perf_script *ps);

/* Waits for the end of a perf that prints to a spool, however long it takes. */
void perf_script_wait_spooled(struct perf_script *ps);

/*
 * Waits for perf's end, and kills it when it does not end in time, or when its output was not read
 * to the end. Returns at once when perf_script_stop is or was called, by a signal handler as well.
 */
void perf_script_wait(struct perf_script *ps);

/*
 * Waits as perf_script_wait does, unless that was done, and frees ps: no signal handler may know it
 * any more. 0 when it exited with 0 or was ended by perf_script_stop; else -1, with
 * err saying how it ended and the last line that it wrote to standard error.
 */
int perf_script_finish(struct perf_script *ps, struct err *err);

/*
 * How many bytes of the data file perf has read: true and *bytes; false when it cannot be told.
 * Takes some milliseconds: to be asked about once a second.
 */
bool perf_script_position(const struct perf_script *ps, uint64_t *bytes);

/* Ends perf at once. Async-signal-safe; perf_script_finish is still to be called. */
void perf_script_stop(struct perf_script *ps);

#endif
