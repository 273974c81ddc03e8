/* SPDX-License-Identifier: MIT */
/* recordargs: the command line of `perf record`. */
#ifndef MT_PERF_RECORDARGS_H
#define MT_PERF_RECORDARGS_H

#include "perf/text.h"
#include "perf/version.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* When perf is to write what its ring buffers hold. */
enum perf_snapshot {
	PERF_SNAPSHOT_AT_END,     /* when it is told to stop, or all targets have ended */
	PERF_SNAPSHOT_ON_REQUEST, /* when it is told to take a snapshot */
	PERF_SNAPSHOT_NEVER,      /* there is no ring: everything is written as it comes */
};

/* How perf is told to: see the table in recordargs.c. */
enum perf_request {
	PERF_REQUEST_CONTROL, /* a line through the control pipe, which perf answers */
	PERF_REQUEST_SIGINT,
	PERF_REQUEST_SIGTERM,
	PERF_REQUEST_SIGUSR2,
};

/* What perf is to record. All strings are borrowed. */
struct perf_record_settings {
	const char *perf; /* the program: a path, or a name looked up in PATH */
	struct perf_version version;
	const char *data; /* the data file to write */
	enum perf_mode mode;
	const char *scope; /* "u", "k" or "uk" */
	/*
	 * PT: the terms between the slashes of intel_pt//, "" for the kernel's defaults.
	 * Sampling: the event, "cycles", "cpu-clock" or, where CPUs are of two kinds,
	 * "cpu_core/cycles/".
	 */
	const char *event;
	uint32_t freq;         /* sampling: samples a second */
	const char *callgraph; /* sampling: lbr, lbr-no-stitch, dwarf or fp */
	bool branch_misses, cache_misses;
	const pid_t *ids;  /* processes, or threads when not multi_thread */
	size_t n_ids;      /* at least one */
	bool multi_thread; /* all threads of the processes, and their children */
	enum perf_snapshot snapshot;
	bool multi_snapshot; /* a data file for each snapshot: --switch-output=signal */
	bool kcore;          /* a copy of the kernel's code; perf 5.5 or later */
	uint64_t aux_pages;  /* PT: size of the AUX area, a power of two; 0: perf's default */
	uint64_t data_pages; /* size of a data buffer, a power of two; 0: perf's default */
};

/* Which way leads to a snapshot, and to perf's end, with this version and these settings. */
enum perf_request perf_record_snapshot_request(const struct perf_record_settings *settings);
enum perf_request perf_record_stop_request(const struct perf_record_settings *settings);

/*
 * Whether the end of the recording is what takes the snapshot, so that to take it is to end it:
 * when sampling what is in the ring is written at the end, and so is PT's with --snapshot=e.
 */
bool perf_record_ends_with_snapshot(const struct perf_record_settings *settings);

/* Whether this perf has --control=fd: (5.10). */
bool perf_record_has_control(const struct perf_record_settings *settings);

/*
 * The command line, as an argv that ends in NULL; free with perf_record_argv_free. control and ack
 * are the numbers that the two ends of the control pipes will have in perf; left out with a perf
 * that has no --control.
 */
char **perf_record_argv(const struct perf_record_settings *settings, int control, int ack)
	__attribute__((returns_nonnull));
void perf_record_argv_free(char **argv);

#endif
