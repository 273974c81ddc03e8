/* SPDX-License-Identifier: MIT */
/*
 * lack: what a machine cannot record, in words: what is missing, and what would bring it. The same
 * words serve the notes of a plan and the table of `magic-trace check`.
 */
#ifndef MT_RECORD_LACK_H
#define MT_RECORD_LACK_H

#include "base/err.h"
#include "perf/version.h"
#include "record/host.h"

#include <stdbool.h>

/* Each of these fills why: the message says what is missing, the hint what would bring it. */

/* host->pt is false: the CPU has none, is another maker's, a VM hides it, the kernel lacks it. */
void lack_pt(const struct host *host, struct err *why);

/* host->pt_psb_cyc is false. */
void lack_psb_cyc(struct err *why);

/* host->cycles is false. */
void lack_cycles(const struct host *host, struct err *why);

/* Whether stacks can come from last branch records, in their call-stack mode. */
bool lack_has_lbr(const struct host *host);

/* lack_has_lbr is false. */
void lack_lbr(const struct host *host, struct err *why);

/*
 * Whether perf may copy the kernel's code (perf record --kcore). version is NULL when perf is not
 * known. privileged: perf may do what we may not.
 */
bool lack_has_kcore(const struct host *host, const struct perf_version *version, bool privileged);

/* lack_has_kcore is false; also says what is lost. */
void lack_kcore(const struct host *host, const struct perf_version *version, struct err *why);

/*
 * 0 when perf_event_open(2) lets us record in user space, or with kernel also in the kernel; else
 * -1 with why. By capabilities, perf_event_paranoid and what the kernel answered, not by uid.
 */
int lack_permission(const struct host *host, bool kernel, struct err *why);

#endif
