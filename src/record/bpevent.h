/* SPDX-License-Identifier: MIT */
/*
 * bpevent: the events of perf_event_open(2) that breakpoints are made of, and what their records
 * say.
 */
#ifndef MT_RECORD_BPEVENT_H
#define MT_RECORD_BPEVENT_H

#include "base/err.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A breakpoint at address in thread tid, off; as a file descriptor. With cpu -1 wherever the thread
 * runs; else only on that CPU, but also in the threads that it starts later, and with records of
 * programs that these execute. -1 with errno.
 */
int bpevent_open(pid_t tid, int cpu, uint64_t address);

/*
 * An event of thread tid (0: ours) that never counts. On a CPU it is there to own the ring of that
 * CPU; with cpu -1 it is on, and brings a record when the thread executes another program. -1 with
 * errno.
 */
int bpevent_open_dummy(pid_t tid, int cpu);

/* What a record of these events says. */
struct bpevent_record {
	enum {
		BPEVENT_OTHER,
		BPEVENT_HIT,
		BPEVENT_EXEC, /* process pid has executed another program */
		BPEVENT_LOST, /* records that were dropped since the ring was full */
	} kind;
	int32_t pid, tid; /* 0: in none of our pid namespaces */
	int64_t time;     /* ns of perf's clock */
	uint64_t id;      /* of the event that bpevent_open gave (PERF_EVENT_IOC_ID) */
	uint64_t ip, di, si;
	uint64_t lost;
};

void bpevent_read(const struct perf_event_header *header, struct bpevent_record *record);

/* Says why a breakpoint in process pid could not be had (errno), and what helps. Returns -1. */
int bpevent_failed(struct err *err, int error, pid_t pid, uint64_t address);

#endif
