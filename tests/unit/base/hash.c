/* SPDX-License-Identifier: MIT */
#include "base/hash.h"

#include "support/suite.h"

#include <stdio.h>

START_TEST(test_seed_stays_the_same_in_a_run)
{
	ck_assert_uint_ne(hash_seed(), 0);
	ck_assert_uint_eq(hash_seed(), hash_seed());
}
END_TEST

START_TEST(test_all_bytes_and_the_seed_count)
{
	char a[100], b[100];
	size_t n, i;

	memset(a, 'x', sizeof(a));
	for (n = 1; n < sizeof(a); n++) {
		uint64_t h = hash_bytes((struct str){ a, n }, 77);

		ck_assert_uint_eq(hash_bytes((struct str){ a, n }, 77), h);
		ck_assert_uint_ne(hash_bytes((struct str){ a, n }, 78), h);
		ck_assert_uint_ne(hash_bytes((struct str){ a, n - 1 }, 77), h);
		for (i = 0; i < n; i++) {
			memcpy(b, a, sizeof(b));
			b[i] ^= 1;
			ck_assert_uint_ne(hash_bytes((struct str){ b, n }, 77), h);
		}
	}
}
END_TEST

/* Keys that would all be equal under the seed 0 are spread under another one. */
START_TEST(test_aimed_keys_are_spread)
{
	unsigned buckets[256] = { 0 }, most = 0, i;
	uint64_t same = hash_bytes((struct str){ (const char *)(uint64_t[2]){ 0 }, 0 }, 0);
	uint64_t key[2] = { 16 * 0x9e3779b97f4a7c15u ^ 0x9e3779b97f4a7c15u, 0 };

	for (i = 0; i < 25600; i++) {
		struct str s = { (const char *)key, sizeof(key) };

		key[1] = i;
		ck_assert_uint_eq(hash_bytes(s, 0), same);
		buckets[hash_bytes(s, 12345) & 255]++;
	}
	for (i = 0; i < 256; i++)
		most = buckets[i] > most ? buckets[i] : most;
	ck_assert_uint_lt(most, 200);
	ck_assert_uint_ne(hash_u64(1, 7), hash_u64(1, 8));
	ck_assert_uint_ne(hash_u64(1, 7), hash_u64(2, 7));
}
END_TEST

SUITE_MAIN("base/hash", test_seed_stays_the_same_in_a_run, test_all_bytes_and_the_seed_count,
	   test_aimed_keys_are_spread)
