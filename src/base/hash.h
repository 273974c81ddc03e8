/* SPDX-License-Identifier: MIT */
/*
 * hash: hash values that text from outside cannot aim at: another seed each run, so that nobody can
 * make keys that all fall into one place. Nothing that is written depends on them.
 */
#ifndef MT_BASE_HASH_H
#define MT_BASE_HASH_H

#include "base/str.h"

#include <stdint.h>

/* The run's seed: random, the same at every call. */
uint64_t hash_seed(void);

/* The two halves of a product, folded: each bit of both factors counts. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* The hash of a number. */
static inline uint64_t hash_u64(uint64_t v, uint64_t seed)
{
	return hash_mix(v ^ seed, 0x9e3779b97f4a7c15u ^ (seed >> 32));
}

/* The hash of bytes. */
uint64_t hash_bytes(struct str s, uint64_t seed);

#endif
