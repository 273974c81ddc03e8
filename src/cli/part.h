/* SPDX-License-Identifier: MIT */
/*
 * part: which part of a recording is decoded: -last, -after, -before.
 *
 * Times are counted as in a trace of the whole recording, and a part's trace has the same ones. So
 * it has to be found out first when that begins, and, if need be, when it ends.
 */
#ifndef MT_CLI_PART_H
#define MT_CLI_PART_H

#include "base/err.h"
#include "cli/options.h"
#include "cli/settings.h"
#include "record/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct part {
	bool on;          /* false: all of it */
	int64_t begin;    /* of the whole trace; as what follows ns of perf's clock */
	int64_t from, to; /* what happened at these times is in it, too */
};

/*
 * Runs perf for short pieces of the recording, or, where it cannot be told when the last moments
 * begin (sampled stacks), once for all of it. 0; -1 with err: perf failed, was interrupted, or the
 * part would be empty.
 */
int part_find(struct part *part, const struct options *options, const struct settings *settings,
	      const struct recording *recording, struct err *err);

/* Whether a time is in the part. */
static inline bool part_has(const struct part *part, int64_t time)
{
	return !part->on || (time >= part->from && time <= part->to);
}

#endif
