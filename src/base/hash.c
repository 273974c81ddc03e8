/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include <stdbool.h>
#include <sys/random.h>
#include <time.h>

uint64_t hash_seed(void)
{
	static uint64_t seed;
	struct timespec now;

	if (seed)
		return seed;
	/* Without random numbers, one that is hard to guess. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		seed = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uintptr_t)&now;
	}
	seed |= 1;
	return seed;
}

uint64_t hash_bytes(struct str s, uint64_t seed)
{
	const uint64_t k1 = 0x9e3779b97f4a7c15u ^ seed, k2 = 0xd6e8feb86659fd93u ^ (seed << 1);
	uint64_t h = s.n * k1, a = 0, b = 0;

	for (; s.n >= 16; s = str_skip(s, 16)) {
		memcpy(&a, s.p, 8);
		memcpy(&b, s.p + 8, 8);
		h = hash_mix(h ^ a ^ k1, b ^ k2);
	}
	a = b = 0;
	if (s.n >= 8) {
		memcpy(&a, s.p, 8);
		memcpy(&b, s.p + s.n - 8, 8);
	} else if (s.n) {
		memcpy(&a, s.p, s.n);
	}
	return hash_mix(h ^ a ^ k1, b ^ k2);
}
