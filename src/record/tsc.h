/* SPDX-License-Identifier: MIT */
/*
 * tsc: the time stamp counter, which programs read by themselves (magic_trace_mark_start), as
 * perf's clock.
 *
 * A kernel whose clock is the counter itself says so in the page that it shares for each event
 * (cap_user_time_zero in perf_event_open(2)), with the numbers to convert. In a virtual machine
 * whose clock is the hypervisor's (kvm-clock) it does not: there the two are measured against each
 * other, once at the beginning and again when a time is wanted, which gives the counter's speed.
 */
#ifndef MT_RECORD_TSC_H
#define MT_RECORD_TSC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

struct tsc_moment {
	uint64_t tsc;
	int64_t time;  /* ns of perf's clock */
	int64_t error; /* ns, at most */
};

struct tsc_clock {
	bool exact; /* the page's numbers, else what was measured */
	uint64_t zero;
	uint32_t mult;
	uint16_t shift;
	unsigned int n_moments; /* 2: first and last; fewer: nothing is known */
	struct tsc_moment first, last;
};

/* Takes the kernel's numbers, if the page has them. */
void tsc_clock_page(struct tsc_clock *clock, const struct perf_event_mmap_page *page);

/* Adds a moment that was measured; the first and the latest are kept. */
void tsc_clock_moment(struct tsc_clock *clock, const struct tsc_moment *moment);

/*
 * Measures a moment (perf_clock_tsc), unless the page's numbers are there, or the last one is
 * before `time` by less than 100 ms or after it. Some 50 µs.
 */
void tsc_clock_measure(struct tsc_clock *clock, int64_t time);

/* The counter's value as a time. false: not known, or before perf's clock began, or far after. */
bool tsc_clock_time(const struct tsc_clock *clock, uint64_t tsc, int64_t *time);

/* And back. */
bool tsc_clock_tsc(const struct tsc_clock *clock, int64_t time, uint64_t *tsc);

/* By how much a time may be wrong near the moments that were measured, ns; 0 with the page's. */
int64_t tsc_clock_error(const struct tsc_clock *clock);

#endif
