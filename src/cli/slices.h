/* SPDX-License-Identifier: MIT */
/*
 * slices: a data file decoded by several perfs at a time, each a slice of the time.
 *
 * All but the first write their records to files without a name, which are read in order when the
 * first has ended. Slices are cut where perf can begin: at PSB packets.
 */
#ifndef MT_CLI_SLICES_H
#define MT_CLI_SLICES_H

#include "base/err.h"
#include "base/input.h"
#include "event/event.h"
#include "perf/script.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thread of ours reads for all of them: more would wait for it. */
#define SLICES_MAX 8u

/* For tests: a number in this variable moves the cuts to any time, the same for the same number. */
#define SLICES_CUTS "MAGIC_TRACE_CUTS"

struct slice {
	int64_t from, to;         /* both in it, ns of perf's clock */
	struct perf_script *perf; /* owned; NULL: of the first, or it has ended */
	int fd;                   /* its records; owned; -1: none */
	uint64_t read;            /* so many bytes of them */
};

/* The frequency that was told last of a thread. */
struct slices_cbr {
	int32_t pid, tid;
	uint32_t mhz;
};

/* Zeroed memory is an empty one. */
struct slices {
	struct slice v[SLICES_MAX];
	size_t n;                /* less than two: the file is not cut */
	uint64_t bytes;          /* of PT data in the file, however little of it is decoded */
	struct slices_cbr *cbrs; /* owned */
	size_t n_cbrs, cap_cbrs;
};

/*
 * Cuts what args says of its data file into at most `jobs` slices; into less when they would not be
 * worth a perf of their own, and not at all when they might differ from the whole: when times
 * depend on where decoding begins, or buffers are of CPUs.
 */
void slices_plan(struct slices *s, const struct perf_script_args *args, unsigned int jobs);

/*
 * Starts perf for all slices but the first. When that fails, or there may be no room for what they
 * write, there are none: n is 0.
 */
void slices_start(struct slices *s, const struct perf_script_args *args);

/* Ends all perfs. Async-signal-safe. */
void slices_stop(struct slices *s);

/* Waits until slice i has been written, and gives its records. */
struct input slices_input(struct slices *s, size_t i);

/* To be called behind that: as perf_script_finish. */
int slices_finish(struct slices *s, size_t i, struct err *err);

/* As slices_repeats, where there are slices. */
bool slices_said_before(struct slices *s, size_t i, const struct event *ev);

/*
 * Whether slice i only repeats an event of the slices before it: perf tells frequencies again, and
 * errors of all times.
 */
static inline bool slices_repeats(struct slices *s, size_t i, const struct event *ev)
{
	return s->n && slices_said_before(s, i, ev);
}

/* Ends all perfs: what is behind the first slice is one slice, to be decoded otherwise. */
void slices_join(struct slices *s);

/* Ends all perfs, and frees everything. */
void slices_close(struct slices *s);

#endif
