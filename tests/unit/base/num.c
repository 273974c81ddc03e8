/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include "support/suite.h"

#include <inttypes.h>
#include <stdio.h>

typedef bool (*reader)(struct str *s, uint64_t *v);

static bool dec(struct str *s, uint64_t *v)
{
	return num_dec(s, v);
}

static bool hex_lower(struct str *s, uint64_t *v)
{
	return num_hex_lower(s, v);
}

/* Reads text: the value and what is left must be these. */
static void reads(reader read, const char *text, uint64_t value, const char *left)
{
	struct str s = str_of(text);
	uint64_t v = 77;

	ck_assert_msg(read(&s, &v), "%s", text);
	ck_assert_msg(v == value, "%s gave %" PRIu64, text, v);
	ck_assert(str_eq(s, str_of(left)));
}

static void refuses(reader read, const char *text)
{
	struct str s = str_of(text);
	uint64_t v = 77;

	ck_assert_msg(!read(&s, &v), "%s", text);
	ck_assert_uint_eq(v, 77);
	ck_assert(str_eq(s, str_of(text)));
}

START_TEST(test_decimal)
{
	reads(dec, "0", 0, "");
	reads(dec, "007x", 7, "x");
	reads(dec, "42.5", 42, ".5");
	reads(dec, "9999999999999999999", 9999999999999999999u, "");
	reads(dec, "18446744073709551615 ", UINT64_MAX, " ");
	reads(dec, "000000000000000000000000000000000001", 1, "");
	refuses(dec, "18446744073709551616");
	refuses(dec, "99999999999999999999");
	refuses(dec, "123456789012345678901234567890");
	refuses(dec, "");
	refuses(dec, "x1");
	refuses(dec, "-1");
	refuses(dec, " 1");
}
END_TEST

START_TEST(test_hex)
{
	reads(num_hex, "ffFFffffFFFFffff", UINT64_MAX, "");
	reads(num_hex, "0000000000000000001g", 1, "g");
	reads(num_hex, "aBc ", 0xabc, " ");
	reads(num_hex, "0x10", 0, "x10");
	refuses(num_hex, "10000000000000000");
	refuses(num_hex, "");
	refuses(num_hex, "g");
}
END_TEST

START_TEST(test_hex_lower_stops_at_upper_case)
{
	reads(hex_lower, "ffffffff81000c82 x", 0xffffffff81000c82u, " x");
	reads(hex_lower, "aBc", 0xa, "Bc");
	refuses(hex_lower, "Abc");
	refuses(hex_lower, "fffffffffffffffff");
	refuses(hex_lower, "");
}
END_TEST

START_TEST(test_end_of_the_text_is_not_passed)
{
	struct str s = { .p = "12345", .n = 2 };
	uint64_t v;

	ck_assert(num_dec(&s, &v));
	ck_assert_uint_eq(v, 12);
	ck_assert_uint_eq(s.n, 0);
	s = (struct str){ .p = "abcde", .n = 3 };
	ck_assert(num_hex_lower(&s, &v));
	ck_assert_uint_eq(v, 0xabc);
}
END_TEST

/* The table against the C library's idea of a digit. */
START_TEST(test_each_byte)
{
	for (int c = 0; c < 256; c++) {
		char text[2] = { (char)c, '\0' };
		struct str s = { .p = text, .n = 1 };
		unsigned int want;
		uint64_t v;
		bool is_hex = c && strchr("0123456789abcdefABCDEF", c);

		ck_assert_int_eq(num_hex(&s, &v), is_hex);
		if (is_hex) {
			ck_assert_int_eq(sscanf(text, "%x", &want), 1);
			ck_assert_uint_eq(v, want);
		}
	}
}
END_TEST

SUITE_MAIN("num", test_decimal, test_hex, test_hex_lower_stops_at_upper_case,
	   test_end_of_the_text_is_not_passed, test_each_byte)
