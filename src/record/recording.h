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

#define RECORDING_BUILD_ID_MAX 128

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
	bool part;           /* incomplete: not all data files could be taken, or it says so */
	bool has_json;       /* a recording.json was there and could be read */
	/*
	 * What recording.json says. The strings are owned, and NULL when not known; in a recording
	 * that is made, recording_set sets them.
	 */
	char *reason;              /* why it is incomplete, if recording.json says that it is */
	char *mode;                /* "intel_pt" or "sampling" */
	char *engine;              /* that recorded software PT: "step" or "qemu" */
	char *time;                /* what its times are: "virtual", "real" or "instructions" */
	char *scope;               /* "u", "k" or "uk" */
	char *callgraph;           /* one of recording_callgraphs */
	char *event;               /* what was sampled, "cpu-clock"; of PT, the event's terms */
	char *trigger;             /* as it was given */
	char *executable;          /* the path of the traced program */
	char *build_id;            /* of it: hex digits, at most RECORDING_BUILD_ID_MAX */
	char *magic_trace_version; /* what recorded it */
	char *perf_version;
	char *kernel;       /* its release */
	char *cpu;          /* the model's name */
	int64_t wall_clock; /* ns to add to perf's clock for ns since 1970; 0: not known */
	struct recording_hit *hits;
	size_t n_hits;
	/* See recording_command_line and recording_comm. Owned; sorted (description.h). */
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

/* An empty one, to be filled in and written; free with recording_free. */
struct recording *recording_new(void) __attribute__((returns_nonnull));

/* NULL is allowed. */
void recording_free(struct recording *rec);

/*
 * The command line of a process, the comm of a thread, at recording time; NULL when not known.
 * Owned by the recording.
 */
const char *recording_command_line(const struct recording *rec, int32_t pid);
const char *recording_comm(const struct recording *rec, int32_t pid, int32_t tid);

/* Puts a copy of value (NULL: not known) into one of the owned strings above: &rec->mode. */
void recording_set(char **field, const char *value);

/* Notes that the recording is incomplete; of several reasons the first is kept. */
void recording_set_part(struct recording *rec, const char *reason);

/*
 * Adds a copy of a hit, symbol included, behind the others. false: not added, since recording.json
 * has no hit without a time (time < 0) or a thread (tid < 1). A `passed` below 0 counts as none.
 */
bool recording_add_hit(struct recording *rec, const struct recording_hit *hit);

/*
 * Adds a process, or a thread with its process, or updates what is known of it: the last command
 * line or comm wins; NULL leaves it as it was. Ids below 1 are ignored. Names can be any bytes.
 */
void recording_add_process(struct recording *rec, int32_t pid, const char *command_line);
void recording_add_thread(struct recording *rec, int32_t pid, int32_t tid, const char *comm);

/*
 * Writes recording.json into the directory `path`, replacing one that is there in one step; only
 * its owner may read it. What recording_open says of it then is what rec says. 0, or -1 with err
 * (the one that was there stays): the directory cannot be written, no space, a field that
 * recording.json cannot hold (see describe.h).
 */
int recording_write(const struct recording *rec, const char *path, struct err *err);

#endif
