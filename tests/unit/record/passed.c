/* SPDX-License-Identifier: MIT */
#include "record/passed.h"

#include "support/suite.h"

#define S  INT64_C(1000000000)
#define UP (100 * S) /* the clock at the hit: 100 s; the counter runs at 2 GHz from 0 */

static struct tsc_clock clock_of_2_ghz(void)
{
	return (struct tsc_clock){ .exact = true, .mult = 1u << 30, .shift = 31 };
}

static struct passed read_it(uint64_t di, uint64_t si)
{
	struct tsc_clock clock = clock_of_2_ghz();

	return passed_read(&clock, UP, di, si);
}

START_TEST(test_c)
{
	struct passed p = read_it(2 * 99 * (uint64_t)S, 7);

	ck_assert_int_eq(p.time, 99 * S);
	ck_assert_uint_eq(p.arg, 7);
	p = read_it(2 * 99 * (uint64_t)S + 1, 9); /* an odd one */
	ck_assert_int_eq(p.time, 99 * S);
	ck_assert_uint_eq(p.arg, 9);
	p = read_it(2 * (uint64_t)UP, UINT64_MAX);
	ck_assert_int_eq(p.time, UP);
	ck_assert_uint_eq(p.arg, UINT64_MAX);
	p = read_it(1001, 3); /* the computer was just switched on */
	ck_assert_int_eq(p.time, 500);
	ck_assert_uint_eq(p.arg, 3);
}
END_TEST

START_TEST(test_none)
{
	struct passed p = read_it(0, 0x8000000000000001);

	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 0x8000000000000001);
}
END_TEST

START_TEST(test_ocaml)
{
	struct passed p = read_it(1, 2 * 21 + 1);

	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 21);
	p = read_it(2 * (2 * 99 * (uint64_t)S) + 1, 2 * 21 + 1);
	ck_assert_int_eq(p.time, 99 * S);
	ck_assert_uint_eq(p.arg, 21);
	p = read_it(2 * (2 * 51 * (uint64_t)S) + 1, (uint64_t)-9 /* 2n + 1 */);
	ck_assert_int_eq(p.time, 51 * S);
	ck_assert_int_eq((int64_t)p.arg, -5);
}
END_TEST

/* Later than the hit: even; odd, and so is its half; by less than a clock can be wrong. */
START_TEST(test_later_than_the_hit)
{
	struct passed p = read_it(2 * 101 * (uint64_t)S, 7);

	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 7);
	p = read_it(0x7fffffff12345679, 7);
	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 7);
	p = read_it(2 * (uint64_t)UP + 2001, 7);
	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 7);
}
END_TEST

/* A measured clock can be wrong by its error: within that, later than the hit is at the hit. */
START_TEST(test_within_the_error)
{
	struct tsc_clock clock = {
		.n_moments = 2,
		.first = { .tsc = 0, .time = 0, .error = 100 },
		.last = { .tsc = 2 * (uint64_t)UP, .time = UP, .error = 100 },
	};

	ck_assert_int_eq(passed_read(&clock, UP, 2 * (uint64_t)UP + 400, 0).time, UP);
	ck_assert_int_eq(passed_read(&clock, UP, 2 * (uint64_t)UP + 402, 0).time, 0);
}
END_TEST

START_TEST(test_before_the_boot)
{
	struct tsc_clock clock = clock_of_2_ghz();

	clock.zero = (uint64_t)-S;
	ck_assert_int_eq(passed_read(&clock, UP, (uint64_t)S, 5).time, 0);
	ck_assert_int_eq(passed_read(&clock, UP, 4 * (uint64_t)S, 5).time, S);
}
END_TEST

START_TEST(test_clock_not_known)
{
	struct tsc_clock clock = { .exact = false };
	struct passed p = passed_read(&clock, UP, 1234567, 5);

	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 5);
	p = passed_read(&clock, UP, 1, 5);
	ck_assert_int_eq(p.time, 0);
	ck_assert_uint_eq(p.arg, 2);
}
END_TEST

SUITE_MAIN("passed", test_c, test_none, test_ocaml, test_later_than_the_hit, test_within_the_error,
	   test_before_the_boot, test_clock_not_known)
