/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

START_TEST(test_same_bytes_same_number)
{
	struct intern *in = intern_new(0);
	uint32_t a = intern_add(in, STR("main")), b = intern_add(in, STR("mai"));

	ck_assert_uint_eq(a, 1);
	ck_assert_uint_eq(b, 2);
	ck_assert_uint_eq(intern_add(in, STR("main")), a);
	ck_assert(str_eq(intern_str(in, a), STR("main")));
	ck_assert_uint_eq(intern_count(in), 2);
	intern_free(in);
}
END_TEST

START_TEST(test_empty_and_binary)
{
	struct intern *in = intern_new(0);
	uint32_t e = intern_add(in, STR("")), z = intern_add(in, STR("a\0b")), y;

	y = intern_add(in, STR("a\0c"));
	ck_assert_uint_ne(e, INTERN_NONE);
	ck_assert_uint_ne(z, y);
	ck_assert_uint_eq(intern_str(in, e).n, 0);
	ck_assert_uint_eq(intern_str(in, z).n, 3);
	ck_assert_int_eq(intern_str(in, z).p[3], '\0');
	ck_assert_uint_eq(intern_str(in, INTERN_NONE).n, 0);
	ck_assert_uint_eq(intern_str(in, 99).n, 0);
	intern_free(in);
}
END_TEST

START_TEST(test_many_and_all_lengths)
{
	struct intern *in = intern_new(0);
	static char big[70000];
	char name[32];
	uint32_t i, n;

	for (i = 0; i < 100000; i++) {
		n = (uint32_t)snprintf(name, sizeof(name), "symbol_%u", i);
		ck_assert_uint_eq(intern_add(in, (struct str){ name, n }), i + 1);
	}
	for (i = 0; i < 100000; i += 777) {
		n = (uint32_t)snprintf(name, sizeof(name), "symbol_%u", i);
		ck_assert(str_eq(intern_str(in, i + 1), (struct str){ name, n }));
	}
	memset(big, 'x', sizeof(big));
	for (i = 0; i < 300; i++) /* every length makes a string of its own */
		ck_assert_uint_eq(intern_add(in, (struct str){ big, i }), 100001 + i);
	ck_assert_uint_eq(intern_add(in, (struct str){ big, sizeof(big) }), 100301);
	ck_assert_uint_eq(intern_str(in, 100301).n, sizeof(big));
	intern_free(in);
}
END_TEST

START_TEST(test_bound)
{
	struct intern *in = intern_new(1000);
	uint32_t first = intern_add(in, STR("first")), full = 0, i;
	char name[32];

	for (i = 0; i < 1000; i++) {
		int n = snprintf(name, sizeof(name), "name %u", i);

		full = intern_add(in, (struct str){ name, (size_t)n });
	}
	ck_assert(str_eq(intern_str(in, full), STR("[too many names]")));
	ck_assert_uint_gt(intern_refused(in), 900);
	ck_assert_uint_lt(intern_count(in), 100);
	ck_assert_uint_eq(intern_add(in, STR("first")), first);
	intern_free(in);
}
END_TEST

SUITE_MAIN("base/intern", test_same_bytes_same_number, test_empty_and_binary,
	   test_many_and_all_lengths, test_bound)
