/* SPDX-License-Identifier: MIT */
/* branch: "FLAGS SOURCE => DESTINATION", what perf prints of one branch. */
#ifndef MT_PERF_BRANCH_H
#define MT_PERF_BRANCH_H

#include "base/str.h"
#include "event/event.h"
#include "perf/place.h"

#include <stdbool.h>

/*
 * Reads what stands behind the event's name (or in its place): sets ev's kind, in_tx and branch.
 * false when it is no branch; ev is then undefined.
 *
 * The arrow is the first " => " that leaves a place on either side; two strict places if that can
 * be, else two loose ones. A destination may also be an address alone.
 */
bool branch_read(struct places *places, struct str text, struct event *ev);

#endif
