/* SPDX-License-Identifier: MIT */
#include "symbol/blob.h"

#include "support/suite.h"

#include <stdint.h>
#include <string.h>

/* Past the first memory that is taken, and by more than twice of it at once. */
START_TEST(test_put)
{
	static const size_t sizes[] = { 0, 1, 4095, 1, 0, 100000, 3 };
	unsigned char bytes[100000];
	struct blob blob = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const unsigned char *at;

		memset(bytes, (int)i + 1, sizeof(bytes));
		at = blob_put(&blob, bytes, sizes[i]);
		ck_assert_ptr_eq(at, blob.p + n);
		n += sizes[i];
		ck_assert_uint_eq(blob.n, n);
		ck_assert_uint_ge(blob.cap, n);
	}
	for (size_t i = 0, at = 0; i < sizeof(sizes) / sizeof(*sizes); at += sizes[i++])
		for (size_t k = 0; k < sizes[i]; k++)
			ck_assert_int_eq(blob.p[at + k], (int)i + 1);
	ck_assert_uint_eq((uintptr_t)blob.p % sizeof(uint64_t), 0);
	blob_fini(&blob);
	ck_assert_ptr_null(blob.p);
	ck_assert_uint_eq(blob.n + blob.cap, 0);
	blob_fini(&blob);
}
END_TEST

START_TEST(test_take)
{
	char bytes[10] = "0123456789";
	const char *p = bytes;
	size_t left = sizeof(bytes);

	ck_assert_ptr_eq(blob_take(&p, &left, 0, 8), bytes);
	ck_assert_ptr_eq(blob_take(&p, &left, 2, 3), bytes);
	ck_assert_uint_eq(left, 4);
	/* what cannot be had leaves all as it is */
	ck_assert_ptr_null(blob_take(&p, &left, 2, 3));
	ck_assert_ptr_null(blob_take(&p, &left, 5, 1));
	ck_assert_ptr_null(blob_take(&p, &left, SIZE_MAX / 2, 4));
	ck_assert_ptr_null(blob_take(&p, &left, (size_t)1 << 62, 4));
	ck_assert_uint_eq(left, 4);
	ck_assert_ptr_eq(blob_take(&p, &left, 4, 1), bytes + 6);
	ck_assert_uint_eq(left, 0);
	ck_assert_ptr_eq(blob_take(&p, &left, 0, 1), bytes + 10);
	ck_assert_ptr_null(blob_take(&p, &left, 1, 1));
}
END_TEST

SUITE_MAIN("symbol/blob", test_put, test_take)
