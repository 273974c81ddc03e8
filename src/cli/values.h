/* SPDX-License-Identifier: MIT */
/* values: what stands behind a flag, when it is more than a word. */
#ifndef MT_CLI_VALUES_H
#define MT_CLI_VALUES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pid_list {
	pid_t *pids; /* owned */
	size_t n;
};

void pid_list_fini(struct pid_list *list);

/* Events that are recorded beside the branches, or the stacks. */
struct extra_events {
	bool branch_misses, cache_misses;
};

enum when_kind {
	WHEN_NONE,    /* not given */
	WHEN_SPAN,    /* ns: a length, or a time since the beginning of the whole trace */
	WHEN_CLOCK,   /* ns of perf's clock */
	WHEN_PERCENT, /* of the whole trace's length, in billionths of it */
};

#define WHEN_WHOLE UINT64_C(1000000000)

struct when {
	enum when_kind kind;
	uint64_t value;
};

/*
 * Each reads text into *out, and returns 0, or -1 with err, which begins with what is wrong with
 * the text ("'12Q' is no size") and says what can be given.
 */

/* "4096", "512K", "64M", "1G", also KB, KiB and small letters; powers of 1024; bytes, from 1. */
int value_size(const char *text, uint64_t *out, struct err *err);

/* "5", "0.25", "1e-3" is not read; to ns; from 1 ns to 292 years. */
int value_seconds(const char *text, uint64_t *out, struct err *err);

/* "2ms", "0.5s", "17ns"; "12.5%", up to 100%; "@34812.856283158", seconds of perf's clock. */
int value_when(const char *text, struct when *out, struct err *err);

/* A length: as value_when, but not of the clock and not 0. */
int value_length(const char *text, struct when *out, struct err *err);

/* A number of a file descriptor that is open for writing. */
int value_fd(const char *text, int *out, struct err *err);

/* "4711" or "4711,4712". What *out had is freed. */
int value_pids(const char *text, struct pid_list *out, struct err *err);

/* "branch-misses", "cache-misses" or both with a comma between. */
int value_events(const char *text, struct extra_events *out, struct err *err);

/* A number from 1 to 1024. */
int value_jobs(const char *text, uint32_t *out, struct err *err);

/* A number from 1, or "none", which is 0. */
int value_depth(const char *text, uint32_t *out, struct err *err);

#endif
