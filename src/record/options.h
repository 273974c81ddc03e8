/* SPDX-License-Identifier: MIT */
/* options: what the user wants recorded, as the command line says it. */
#ifndef MT_RECORD_OPTIONS_H
#define MT_RECORD_OPTIONS_H

#include "record/resolution.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What records. */
enum backend {
	BACKEND_AUTO, /* Intel PT where it is, else sampling */
	BACKEND_PT,
	BACKEND_SAMPLING,
	BACKEND_SOFTWARE, /* the program is executed by us, and each branch encoded as PT does it */
};

/* What executes it for BACKEND_SOFTWARE. */
enum software_engine {
	ENGINE_AUTO, /* QEMU where it can, else single steps */
	ENGINE_QEMU,
	ENGINE_STEP,
};

/* Their names, and those of enum recorder_time, at the enum's values; each ends in NULL. */
extern const char *const record_backends[];
extern const char *const record_engines[];
extern const char *const record_times[];

/* The value of one of these words; 0, the default, for another and for NULL. */
unsigned int record_word(const char *const *words, const char *word);

/* All strings and arrays are borrowed. */
struct record_options {
	const char *perf;     /* the program: a path, or a name looked up in PATH */
	char *const *command; /* run: argv of the program to trace. attach: of the one that runs
				 meanwhile. NULL: none */
	const pid_t *pids;    /* attach: the processes; n_pids 0 under run */
	size_t n_pids;
	const char *directory; /* of the recording; NULL: a temporary one */
	const char *trigger;   /* a selection; NULL: none */
	const char *callgraph; /* of recording_callgraphs; NULL: not given */
	const char *scope;     /* "u", "k" or "uk" */
	struct resolution resolution;
	uint64_t snapshot_size; /* bytes; 0: not given */
	uint64_t duration;      /* ns; 0: no limit */
	int ready_fd;           /* gets a line when recording is on; -1: none */
	enum backend backend;
	enum software_engine engine; /* this and the next two: of BACKEND_SOFTWARE */
	enum recorder_time time;
	bool follow_fork;
	bool branch_misses, cache_misses;
	bool multi_thread;
	bool full_execution;
	bool multi_snapshot;
	bool perf_is_privileged; /* perf itself may do what we may not: ask no questions */
	bool no_kcore;           /* never --kcore, and no word about it */
};

#endif
