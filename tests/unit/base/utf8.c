/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include "support/suite.h"

static size_t length(const char *text, bool *bad)
{
	return utf8_length(str_of(text), bad);
}

START_TEST(test_characters)
{
	static const struct {
		const char *text;
		size_t n;
	} good[] = {
		{ "az", 1 },
		{ "\x7f", 1 },
		{ "\xc2\x80z", 2 },
		{ "\xdf\xbfz", 2 },
		{ "\xe0\xa0\x80z", 3 },
		{ "\xed\x9f\xbfz", 3 },
		{ "\xee\x80\x80z", 3 },
		{ "\xef\xbf\xbf", 3 },
		{ "\xf0\x90\x80\x80z", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
	};
	bool bad;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		ck_assert_uint_eq(length(good[i].text, &bad), good[i].n);
		ck_assert(!bad);
	}
}
END_TEST

START_TEST(test_longest_part_of_what_is_none)
{
	static const struct {
		const char *text;
		size_t n;
	} wrong[] = {
		{ "\x80", 1 },             /* continues nothing */
		{ "\xc1\x81", 1 },         /* overlong */
		{ "\xe0\x9f\x80", 1 },     /* overlong */
		{ "\xed\xa0\x80", 1 },     /* a surrogate */
		{ "\xf4\x90\x80\x80", 1 }, /* above U+10FFFF */
		{ "\xf5", 1 },
		{ "\xe2\x82", 2 },
		{ "\xf0\x9f\x98", 3 },
		{ "\xc3", 1 },
		{ "\xe2\x82z", 2 },
	};
	bool bad;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		ck_assert_uint_eq(length(wrong[i].text, &bad), wrong[i].n);
		ck_assert(bad);
	}
}
END_TEST

SUITE_MAIN("base/utf8", test_characters, test_longest_part_of_what_is_none)
