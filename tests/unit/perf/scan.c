/* SPDX-License-Identifier: MIT */
#include "perf/scan.h"

#include "support/suite.h"

#include <inttypes.h>
#include <stdio.h>

START_TEST(test_blanks)
{
	char text[64];

	/* each number of blanks, with each that may follow, at each distance from the end */
	for (size_t n = 0; n < 40; n++) {
		for (size_t rest = 0; rest < 12; rest++) {
			struct str s = { .p = text, .n = n + rest };

			memset(text, ' ', sizeof(text));
			memset(text + n, 'x', rest);
			ck_assert_uint_eq(scan_blanks(&s), n);
			ck_assert_uint_eq(s.n, rest);
			ck_assert_ptr_eq(s.p, text + n);
		}
	}
}
END_TEST

START_TEST(test_tabs_are_blanks)
{
	struct str s = STR("  \t          \t\tx ");

	ck_assert_uint_eq(scan_blanks(&s), 15);
	ck_assert(str_eq(s, STR("x ")));
	ck_assert(str_eq(scan_trim_end(STR(" a b \t ")), STR(" a b")));
	ck_assert(str_eq(scan_trim_end(STR(" \t")), STR("")));
}
END_TEST

START_TEST(test_word)
{
	struct str s = STR("callx");

	ck_assert(!scan_word(&s, STR("calls")));
	ck_assert(!scan_word(&s, STR("callxx")));
	ck_assert(scan_word(&s, STR("call")));
	ck_assert(str_eq(s, STR("x")));
}
END_TEST

static void id(const char *text, bool good, int32_t want)
{
	struct str s = str_of(text);
	int32_t v = 77;

	ck_assert_msg(scan_id(&s, &v) == good, "%s", text);
	ck_assert_msg(v == (good ? want : 77), "%s gave %d", text, v);
	ck_assert(good ? str_eq(s, STR("/")) : str_eq(s, str_of(text)));
}

START_TEST(test_id)
{
	id("1190837/", true, 1190837);
	id("0/", true, 0);
	id("-1/", true, 0);
	id("2147483647/", true, INT32_MAX);
	id("2147483648/", false, 0);
	id("99999999999999999999999/", false, 0);
	id("-/", false, 0);
	id("--1/", false, 0);
	id("/", false, 0);
	id("", false, 0);
}
END_TEST

static void time_is(const char *text, int64_t want, const char *left)
{
	struct str s = str_of(text);
	int64_t v = 77;

	ck_assert_msg(scan_time(&s, &v), "%s", text);
	ck_assert_msg(v == want, "%s gave %" PRId64, text, v);
	ck_assert(str_eq(s, str_of(left)));
}

static void no_time(const char *text)
{
	struct str s = str_of(text);
	int64_t v = 77;

	ck_assert_msg(!scan_time(&s, &v), "%s", text);
	ck_assert_int_eq(v, 77);
	ck_assert(str_eq(s, str_of(text)));
}

/* A fraction of fewer digits counts tenths, hundredths ...; of more than nine the first nine. */
START_TEST(test_time)
{
	time_is("339075.341173319:", 339075341173319, ":");
	time_is("1.5", 1500000000, "");
	time_is("1.000001:", 1000001000, ":");
	time_is("1.12345678:", 1123456780, ":");
	time_is("1.123456789", 1123456789, "");
	time_is("1.1234567899:", 1123456789, ":");
	time_is("1.123456789999999999999999999999:", 1123456789, ":");
	time_is("0.000000001 ", 1, " ");
	time_is("000000000000000000000000000007.0 ", 7000000000, " ");
	time_is("9223372035.999999999", 9223372035999999999, "");
	no_time("9223372036.0");
	no_time("99999999999999999999999.0");
	no_time("1.");
	no_time("1");
	no_time(".5");
	no_time("1,5");
	no_time("-1.5");
	no_time("");
}
END_TEST

/* Eight digits at once, against the C library; with each other byte in each place. */
START_TEST(test_eight_digits)
{
	uint64_t v;
	char text[9];

	for (unsigned int n = 0; n < 100000000; n += 9973) {
		snprintf(text, sizeof(text), "%08u", n);
		ck_assert(scan_eight_digits(text, &v));
		if (v != n)
			ck_abort_msg("%s gave %" PRIu64, text, v);
	}
	for (int at = 0; at < 8; at++) {
		for (int c = 0; c < 256; c++) {
			memcpy(text, "13579024", 9);
			text[at] = (char)c;
			if (scan_eight_digits(text, &v) != (c >= '0' && c <= '9'))
				ck_abort_msg("byte %d at %d", c, at);
		}
	}
}
END_TEST

SUITE_MAIN("scan", test_blanks, test_tabs_are_blanks, test_word, test_id, test_time,
	   test_eight_digits)
