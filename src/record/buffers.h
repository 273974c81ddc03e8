/* SPDX-License-Identifier: MIT */
/* buffers: how large the buffers are that perf maps, and whether they may be. */
#ifndef MT_RECORD_BUFFERS_H
#define MT_RECORD_BUFFERS_H

#include "base/err.h"
#include "record/host.h"

#include <stdbool.h>
#include <stdint.h>

/* What -snapshot-size may be, bytes. */
#define BUFFERS_AUX_MIN ((uint64_t)4096)
#define BUFFERS_AUX_MAX ((uint64_t)256 << 40)

/* bytes as -snapshot-size takes them: "64M", "4K", "123". */
struct size_text {
	char s[24];
};
struct size_text buffers_size_text(uint64_t bytes);

/* 0, or -1 with err: no AUX area is of that size on any machine. */
int buffers_check_size(uint64_t bytes, struct err *err);

struct buffers {
	uint64_t aux_pages, data_pages; /* powers of two; 0: perf's default */
	uint64_t aux_bytes;             /* the AUX area */
};

/*
 * The AUX area for a snapshot of `bytes` and the data buffer beside it, each of n of them: the area
 * is not less than asked for; the data buffer is small where it counts against what we may lock,
 * since perf's default would take all of perf_event_mlock_kb. -1 with err when bytes are out of
 * range, or more than host_lockable (not asked with privileged): names the limit, and the largest
 * that fits.
 */
int buffers_pt(const struct host *host, uint64_t bytes, uint64_t n, bool privileged,
	       struct buffers *sizes, struct err *err);

/*
 * The size of each of n data buffers for samples, in pages, a power of two: at most `most`, and all
 * of them together at most 256 MiB and half of what we may lock, so that another recording can run
 * beside. 0 when it is not known what we may lock: perf's default.
 */
uint64_t buffers_data(const struct host *host, uint64_t n, uint64_t most);

#endif
