/* SPDX-License-Identifier: MIT */
#include "base/human.h"

#include "support/suite.h"

START_TEST(test_counts)
{
	ck_assert_str_eq(human_count(0).s, "0");
	ck_assert_str_eq(human_count(999).s, "999");
	ck_assert_str_eq(human_count(1000).s, "1,000");
	ck_assert_str_eq(human_count(1234567).s, "1,234,567");
	ck_assert_str_eq(human_count(UINT64_MAX).s, "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(test_bytes)
{
	ck_assert_str_eq(human_bytes(0).s, "0 bytes");
	ck_assert_str_eq(human_bytes(1).s, "1 byte");
	ck_assert_str_eq(human_bytes(999).s, "999 bytes");
	ck_assert_str_eq(human_bytes(1000).s, "1.0 kB");
	ck_assert_str_eq(human_bytes(12345678).s, "12.3 MB");
	ck_assert_str_eq(human_bytes(UINT64_MAX).s, "18446744073.7 GB");
}
END_TEST

START_TEST(test_times)
{
	ck_assert_str_eq(human_time(-5).s, "0 ns");
	ck_assert_str_eq(human_time(999).s, "999 ns");
	ck_assert_str_eq(human_time(1001).s, "1.001 us");
	ck_assert_str_eq(human_time(12345678).s, "12.345 ms");
	ck_assert_str_eq(human_time(INT64_MAX).s, "9223372036.854 s");
}
END_TEST

SUITE_MAIN("human", test_counts, test_bytes, test_times)
