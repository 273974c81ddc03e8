/* SPDX-License-Identifier: MIT */
/*
 * recording: the directory that a recording leaves: perf's data files and recording.json.
 *
 * docs/recording.md describes recording.json. A directory (or a single data file) without one is a
 * recording too: then everything that it would say is "not known".
 */
#ifndef MT_RECORD_RECORDING_H
#define MT_RECORD_RECORDING_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How sampled stacks can have been recorded, in perf's words and ours; ends in NULL. */
extern const char *const recording_callgraphs[];

struct recording_hit {
	int64_t time;   /* perf's clock, ns */
	int64_t passed; /* 0: none */
	uint64_t arg, ip;
	int32_t tid;
	char *symbol; /* owned by the recording */
};

struct recording {
	char **data; /* paths of the data files, in the order of their times */
	size_t n_data;
	uint64_t *sizes;     /* of each of them, bytes */
	uint64_t data_bytes; /* of all of them together */
	bool part;           /* not all data files could be taken */
	bool has_json;       /* a recording.json was there and could be read */
	char *mode;          /* "intel_pt", "sampling" or NULL */
	char *scope;         /* "u", "k", "uk" or NULL */
	char *callgraph;     /* "lbr", "lbr-no-stitch", "dwarf", "fp" or NULL */
	char *executable;    /* or NULL */
	int64_t wall_clock;  /* ns to add to perf's clock for ns since 1970; 0: not known */
	struct recording_hit *hits;
	size_t n_hits;
	/* Opaque: see recording_command_line and recording_comm. Owned. */
	struct recording_process *processes;
	struct recording_thread *threads;
	size_t n_processes, n_threads;
};

/*
 * Opens a recording directory, or a single data file. 0 and *rec (free with recording_free), or -1
 * with err: nothing there, no data file in it (with what was looked for), none that can be taken.
 *
 * Two things do not end it, but are said in *warning (else empty): a data file of a directory that
 * is not readable, or neither a regular file nor a directory, is left out; and with a
 * recording.json that is broken the recording is as one without.
 */
int recording_open(const char *path, struct recording **rec, struct err *warning, struct err *err);
void recording_free(struct recording *rec);

/*
 * The command line of a process, the comm of a thread, at recording time; NULL when not known.
 * Owned by the recording.
 */
const char *recording_command_line(const struct recording *rec, int32_t pid);
const char *recording_comm(const struct recording *rec, int32_t pid, int32_t tid);

#endif
