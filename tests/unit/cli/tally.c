/* SPDX-License-Identifier: MIT */
#include "cli/tally.h"

#include "support/suite.h"

START_TEST(test_most_frequent_first)
{
	static const uint32_t messages[] = { 7, 3, 7, 9, 3, 7, 4 };
	struct tally tally = { 0 };

	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		tally_add(&tally, messages[i]);
	tally_sort(&tally);
	ck_assert_uint_eq(tally.total, 7);
	ck_assert_uint_eq(tally.n, 4);
	ck_assert_uint_eq(tally.items[0].message, 7);
	ck_assert_uint_eq(tally.items[0].count, 3);
	ck_assert_uint_eq(tally.items[1].message, 3);
	ck_assert_uint_eq(tally.items[1].count, 2);
	/* Equal counts: in the order of their coming. */
	ck_assert_uint_eq(tally.items[2].message, 9);
	ck_assert_uint_eq(tally.items[3].message, 4);
}
END_TEST

START_TEST(test_no_room)
{
	struct tally tally = { 0 };
	uint64_t sum = 0;

	for (uint32_t message = 1; message <= 1000; message++) {
		tally_add(&tally, message);
		tally_add(&tally, 1);
	}
	tally_sort(&tally);
	ck_assert_uint_eq(tally.total, 2000);
	ck_assert_uint_eq(tally.n, TALLY_MAX + 1);
	for (size_t i = 0; i < tally.n; i++)
		sum += tally.items[i].count;
	ck_assert_uint_eq(sum, 2000);
	ck_assert_uint_eq(tally.items[0].message, 1);
	ck_assert_uint_eq(tally.items[0].count, 1001);
	ck_assert_uint_eq(tally.items[1].message, INTERN_NONE);
	ck_assert_uint_eq(tally.items[1].count, 1000 - TALLY_MAX);
}
END_TEST

SUITE_MAIN("tally", test_most_frequent_first, test_no_room)
