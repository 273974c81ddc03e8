/* SPDX-License-Identifier: MIT */
/* human: numbers as people read them. */
#ifndef MT_BASE_HUMAN_H
#define MT_BASE_HUMAN_H

#include <stdint.h>

/* Room for any of them. */
struct human {
	char s[32];
};

/* 1234567 is "1,234,567". */
struct human human_count(uint64_t n);

/* "1 byte", "999 bytes", "1.0 kB", "12.3 MB": powers of 1000. */
struct human human_bytes(uint64_t n);

/* Nanoseconds: "999 ns", "1.234 us", "12.345 ms", "1.500 s"; negative ones are 0. */
struct human human_time(int64_t ns);

#endif
