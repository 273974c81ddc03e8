/* SPDX-License-Identifier: MIT */
/*
 * passed: what a program said by calling the stop indicator, from the registers DI and SI of the
 * hit: the first two arguments of a function (System V ABI for x86-64).
 *
 * A caller in C (include/magic_trace.h) passes a value of the time stamp counter, 0 for none, and
 * any value. A caller in OCaml passes both as tagged integers: n is 2n + 1. Nothing marks which of
 * the two it is, but 1 is "none" of OCaml; and a counter cannot have had a value that is later than
 * the hit, so an odd one that is, while its half is not, is tagged. Not told apart: an OCaml
 * program's time from before half of what the counter shows at the hit.
 */
#ifndef MT_RECORD_PASSED_H
#define MT_RECORD_PASSED_H

#include "record/tsc.h"

#include <stdint.h>

struct passed {
	int64_t time; /* ns of perf's clock; 0: none, not known, after the hit, or before the boot
		       */
	uint64_t arg; /* untagged; of OCaml's, a negative value keeps its sign */
};

/* What was passed by the hit at that time (ns of perf's clock). */
struct passed passed_read(const struct tsc_clock *clock, int64_t hit, uint64_t di, uint64_t si);

#endif
