/* SPDX-License-Identifier: MIT */
/* monotonic: a clock for durations and deadlines (CLOCK_MONOTONIC, clock_gettime(2)). */
#ifndef MT_BASE_MONOTONIC_H
#define MT_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* Now, in ns. */
static inline int64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Now, in whole ms. */
static inline int64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

#endif
