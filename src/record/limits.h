/* SPDX-License-Identifier: MIT */
/* limits: what ends a recording that would become too large. */
#ifndef MT_RECORD_LIMITS_H
#define MT_RECORD_LIMITS_H

#include "record/loopstate.h"

#include <stdbool.h>
#include <stdint.h>

/* Before the disk is full such a recording ends. */
#define LIMITS_FREE_BYTES (UINT64_C(64) << 20)

/* Whether it is one that could fill the disk: without a ring, or with as many files as hits. */
bool limits_disk_counts(const struct loop *loop);

/* Ends it when it is one, and the disk has no more than that. */
void limits_disk(struct loop *loop);

/* Ends it when an engine has taken as many snapshots as anybody will look at. */
void limits_snapshots(struct loop *loop);

#endif
