/* SPDX-License-Identifier: MIT */
/* random: numbers that are the same in each run, and a check for programs without libcheck. */
#ifndef MT_TESTS_SUPPORT_RANDOM_H
#define MT_TESTS_SUPPORT_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                                                      \
	do {                                                                                 \
		if (!(condition)) {                                                          \
			fprintf(stderr, "%s:%d: not: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                             \
		}                                                                            \
	} while (0)

/* splitmix64: the state is the seed at first. */
static inline uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline size_t below(uint64_t *state, size_t n)
{
	return (size_t)(next_random(state) % n);
}

#endif
