/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <limits.h>

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

static size_t encode(char out[5], unsigned c)
{
	if (c < 0x80)
		return (size_t)sprintf(out, "%c", (int)c);
	if (c < 0x800)
		return (size_t)sprintf(out, "%c%c", (int)(0xc0 | c >> 6), (int)(0x80 | (c & 63)));
	if (c < 0x10000)
		return (size_t)sprintf(out, "%c%c%c", (int)(0xe0 | c >> 12),
				       (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
	return (size_t)sprintf(out, "%c%c%c%c", (int)(0xf0 | c >> 18), (int)(0x80 | (c >> 12 & 63)),
			       (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63)));
}

/* All characters, by Python's tables of Unicode. */
START_TEST(test_what_steers)
{
	static const char python[] =
		"import unicodedata as u\n"
		"for n in range(0x110000):\n"
		" c = chr(n)\n"
		" if (u.category(c) in ('Cc', 'Zl', 'Zp') or n in (0x61c, 0x200e, 0x200f)\n"
		"     or u.bidirectional(c) in ('LRE', 'RLE', 'LRO', 'RLO', 'PDF',\n"
		"                               'LRI', 'RLI', 'FSI', 'PDI')):\n"
		"  print('%x' % n)\n";
	FILE *want;
	struct scratch s;
	unsigned next = 0;

	scratch_init(&s);
	scratch_put(&s, "p.py", python);
	ck_assert_int_eq(scratch_run(&s, "python3 p.py >want"), 0);
	want = fopen(scratch_path(&s, "want"), "r");
	ck_assert_int_eq(fscanf(want, "%x", &next), 1);
	for (unsigned c = 0; c < 0x110000; c++) {
		char in[5] = { 0 };
		size_t n = encode(in, c);
		bool steers = utf8_steers((struct str){ .p = in, .n = n }, n);

		if (c >= 0xd800 && c < 0xe000)
			continue;
		ck_assert_msg(steers == (c == next), "U+%04X", c);
		if (c == next && fscanf(want, "%x", &next) != 1)
			next = UINT_MAX;
	}
	ck_assert_uint_eq(next, UINT_MAX);
	fclose(want);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_plain)
{
	ck_assert(utf8_is_plain(STR("")));
	ck_assert(utf8_is_plain(str_of("caf\xc3\xa9 ~")));
	ck_assert(!utf8_is_plain(str_of("a\n")));
	ck_assert(!utf8_is_plain(str_of("a\xc3")));
	ck_assert(!utf8_is_plain(str_of("a\xe2\x80\xae"
					"b")));
}
END_TEST

START_TEST(test_escape)
{
	char out[13] = "";

	ck_assert_uint_eq(utf8_escape(out, STR("\x01z\xff")), 12);
	ck_assert_str_eq(out, "\\x01\\x7a\\xff");
	ck_assert_uint_eq(utf8_escape(out, STR("")), 0);
}
END_TEST

SUITE_MAIN("base/utf8", test_characters, test_longest_part_of_what_is_none, test_what_steers,
	   test_plain, test_escape)
