/* SPDX-License-Identifier: MIT */
#include "record/tsc.h"

#include "support/suite.h"

/* A counter of 2 GHz that shows 5000 when the clock shows 1000: mult / 2^shift = 0.5. */
static struct perf_event_mmap_page page_of_2_ghz(void)
{
	struct perf_event_mmap_page page = { .time_mult = 1u << 30, .time_shift = 31 };

	page.cap_user_time_zero = 1;
	page.time_zero = (uint64_t)(1000 - 2500);
	return page;
}

static int64_t time_of(const struct tsc_clock *clock, uint64_t tsc)
{
	int64_t time;

	return tsc_clock_time(clock, tsc, &time) ? time : -1;
}

static uint64_t tsc_of(const struct tsc_clock *clock, int64_t time)
{
	uint64_t tsc;

	return tsc_clock_tsc(clock, time, &tsc) ? tsc : 0;
}

START_TEST(test_page)
{
	struct perf_event_mmap_page page = page_of_2_ghz();
	struct tsc_clock clock = { .exact = false };

	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 5000), 1000);
	ck_assert_int_eq(time_of(&clock, 7000), 2000);
	ck_assert_uint_eq(tsc_of(&clock, 2000), 7000);
	/* 100 days: the product needs more than 64 bits */
	ck_assert_int_eq(time_of(&clock, UINT64_C(17280000000000000)), 8640000000000000 - 1500);
	ck_assert_int_eq(tsc_clock_error(&clock), 0);
}
END_TEST

START_TEST(test_times_that_cannot_be)
{
	struct perf_event_mmap_page page = page_of_2_ghz();
	struct tsc_clock clock = { .exact = false };

	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 100), -1); /* before the clock began */
	page.time_mult = UINT32_MAX;
	page.time_shift = 0;
	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, UINT64_MAX), -1);
	ck_assert_int_eq(time_of(&clock, UINT64_MAX / 2), -1);
}
END_TEST

/* No such ability, numbers that are none, a page that is never still: nothing is known. */
START_TEST(test_page_without)
{
	struct perf_event_mmap_page page = page_of_2_ghz();
	struct tsc_clock clock = { .exact = false };

	page.cap_user_time_zero = 0;
	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 5000), -1);
	page = page_of_2_ghz();
	page.time_mult = 0;
	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 5000), -1);
	page = page_of_2_ghz();
	page.time_shift = 64;
	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 5000), -1);
	page = page_of_2_ghz();
	page.lock = 1;
	tsc_clock_page(&clock, &page);
	ck_assert_int_eq(time_of(&clock, 5000), -1);
	ck_assert_uint_eq(tsc_of(&clock, 5000), 0);
}
END_TEST

START_TEST(test_moments)
{
	struct tsc_moment first = { .tsc = 10000, .time = 1000, .error = 3 };
	struct tsc_moment second = { .tsc = 30000, .time = 11000, .error = 4 };
	struct tsc_moment third = { .tsc = 50000, .time = 21000, .error = 5 };
	struct tsc_clock clock = { .exact = false };

	tsc_clock_moment(&clock, &first);
	ck_assert_int_eq(time_of(&clock, 10000), -1);
	tsc_clock_moment(&clock, &first); /* no time has passed: says nothing */
	ck_assert_int_eq(time_of(&clock, 10000), -1);
	tsc_clock_moment(&clock, &second);
	ck_assert_int_eq(time_of(&clock, 10000), 1000);
	ck_assert_int_eq(time_of(&clock, 20000), 6000);
	ck_assert_int_eq(time_of(&clock, 40000), 16000);
	ck_assert_uint_eq(tsc_of(&clock, 16000), 40000);
	ck_assert_int_eq(tsc_clock_error(&clock), 7);
	tsc_clock_moment(&clock, &third);
	ck_assert_int_eq(time_of(&clock, 9000), 500);
	ck_assert_int_eq(time_of(&clock, 7000), -1);
	ck_assert_int_eq(tsc_clock_error(&clock), 8);
}
END_TEST

SUITE_MAIN("tsc", test_page, test_times_that_cannot_be, test_page_without, test_moments)
