/* SPDX-License-Identifier: MIT */
/*
 * perfhead: what stands around the records of a perf.data file: the header, the events with their
 * ids, and the "features" behind the records.
 */
#ifndef MT_SOFT_PERFHEAD_H
#define MT_SOFT_PERFHEAD_H

#include "soft/outfile.h"
#include "soft/perfdata.h"

#include <stdint.h>

/* perf_event_attr.type of an intel_pt event: some number that the kernel gives a PMU. */
#define PERFHEAD_PMU_TYPE 10

/* Bits of perf_event_attr.config (/sys/bus/event_source/devices/intel_pt/format). */
#define PERFHEAD_PT         (UINT64_C(1) << 0)
#define PERFHEAD_CYC        (UINT64_C(1) << 1)
#define PERFHEAD_MTC        (UINT64_C(1) << 9)
#define PERFHEAD_TSC        (UINT64_C(1) << 10)
#define PERFHEAD_NORETCOMP  (UINT64_C(1) << 11)
#define PERFHEAD_BRANCH     (UINT64_C(1) << 13)
#define PERFHEAD_MTC_PERIOD 14 /* the lowest bit of 4 */
#define PERFHEAD_PSB_PERIOD 24 /* the lowest bit of 4 */

enum perfhead_event {
	PERFHEAD_INTEL_PT,
	PERFHEAD_DUMMY,
	PERFHEAD_EVENTS,
};

struct perfhead;

/* Writes the header of an unfinished file: its records follow. */
struct perfhead *perfhead_begin(const struct perfdata_config *config, struct outfile *file)
	__attribute__((returns_nonnull));

/* How many ids an event has, and the id of one: of a CPU, or of all threads. */
unsigned int perfhead_ids(const struct perfhead *head);
uint64_t perfhead_id(const struct perfhead *head, enum perfhead_event event, unsigned int index);

/* A record with AUX data begins at this place in the file. */
void perfhead_add_aux(struct perfhead *head, uint64_t at);

/* A record has this time, ns. */
void perfhead_add_time(struct perfhead *head, uint64_t time);

/* Writes what follows the records, and the header once more. */
void perfhead_end(struct perfhead *head, struct outfile *file);

void perfhead_free(struct perfhead *head);

#endif
