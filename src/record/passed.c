/* SPDX-License-Identifier: MIT */
#include "record/passed.h"

#include <stdbool.h>

/*
 * How far a value of C's may seem to be later than the hit, by errors of measuring: 1 ms. One of
 * OCaml's is nearly twice what the counter shows.
 */
#define SLACK 1000000

static bool is_tagged(const struct tsc_clock *clock, int64_t hit, uint64_t di)
{
	uint64_t latest;

	if (di == 1)
		return true;
	if ((di & 1) == 0 || !tsc_clock_tsc(clock, hit + SLACK, &latest))
		return false;
	return di > latest && di >> 1 <= latest;
}

struct passed passed_read(const struct tsc_clock *clock, int64_t hit, uint64_t di, uint64_t si)
{
	struct passed passed = { .arg = si };
	int64_t time;

	if (is_tagged(clock, hit, di)) {
		di >>= 1;
		passed.arg = (uint64_t)((int64_t)si >> 1);
	}
	if (di == 0 || !tsc_clock_time(clock, di, &time))
		return passed;
	if (time > hit && time - hit <= tsc_clock_error(clock))
		time = hit;
	if (time <= hit)
		passed.time = time;
	return passed;
}
