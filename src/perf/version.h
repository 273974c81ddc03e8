/* SPDX-License-Identifier: MIT */
/* version: which perf this is, as `perf version` says. */
#ifndef MT_PERF_VERSION_H
#define MT_PERF_VERSION_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct perf_version {
	unsigned int major, minor;
	char text[64]; /* as perf writes it, cut to fit: "6.1.174" */
};

/*
 * Reads "perf version 6.1.174", "perf version 5.15.g8bb7eca" or "perf version 6.14-rc3 (extra)".
 * False when there is no MAJOR.MINOR behind the words.
 */
bool perf_version_parse(struct perf_version *version, struct str text);

bool perf_version_at_least(const struct perf_version *version, unsigned int major,
			   unsigned int minor);

/*
 * Runs `perf version`: perf is a path, or a name looked up in PATH. 0, or -1 with err: perf is
 * missing (the hint names the packages), cannot be run, does not answer within 10 s, fails, or says
 * something else; perf's own words are in the message.
 */
int perf_version_get(const char *perf, struct perf_version *version, struct err *err);

/* The same with another limit, in ms. */
int perf_version_get_within(const char *perf, unsigned int ms, struct perf_version *version,
			    struct err *err);

#endif
