/* SPDX-License-Identifier: MIT */
/*
 * clock: perf's own clock (what `perf record --timestamp` writes when no clock is chosen; the
 * kernel's local_clock()), measured against others.
 *
 * Nothing tells what it shows now. But the kernel stamps a record each time a thread sets its name,
 * so we set ours, to what it is, between two looks at the other clock.
 */
#ifndef MT_RECORD_CLOCK_H
#define MT_RECORD_CLOCK_H

#include <stdint.h>

/*
 * *offset: the ns to add to perf's clock to get ns since 1970. The best of several measurements,
 * wrong by at most half of the time that one takes: about 1 µs (0.3 µs on the machine of
 * docs/triggers.md), more on one that is busy. Both clocks go on: CLOCK_REALTIME is slewed and
 * stepped by NTP, so the offset holds for now. 0, or -1 when the kernel lets us have no events
 * (kernel.perf_event_paranoid above 2 on some distributions).
 */
int perf_clock_wall_offset(int64_t *offset);

/*
 * One moment on both clocks: the time stamp counter and perf's clock. *error, ns: by how much they
 * may be apart. 0, or -1 when the kernel lets us have no events, or this CPU has no such counter.
 */
int perf_clock_tsc(uint64_t *tsc, int64_t *time, int64_t *error);

#endif
