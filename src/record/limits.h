/* SPDX-License-Identifier: MIT */
/* limits: what ends a recording that would become too large. */
#ifndef MT_RECORD_LIMITS_H
#define MT_RECORD_LIMITS_H

#include "record/loop.h"

#include <stdint.h>

/* A recording without a ring ends before the disk is full. */
#define LIMITS_FREE_BYTES (UINT64_C(64) << 20)

/* Ends it when it has no ring, and the disk has no more than that. */
void limits_disk(struct loop *loop);

/* Ends it when an engine has taken as many snapshots as anybody will look at. */
void limits_snapshots(struct loop *loop);

#endif
