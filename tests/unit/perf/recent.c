/* SPDX-License-Identifier: MIT */
#include "perf/recent.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

static struct location at(uint64_t addr)
{
	return (struct location){ .addr = addr, .off = 1, .sym = 2, .dso = 3 };
}

static void add(struct recent *r, struct str text, uint64_t addr)
{
	struct location loc = at(addr);

	recent_add(r, text, &loc);
}

START_TEST(test_taken_up_the_second_time)
{
	struct str text = STR("7f5029da6be4 f+0x164 (x) and more"), place = { text.p, 24 };
	struct recent *r = recent_new();
	struct location loc;

	ck_assert_uint_eq(recent_find(r, text, &loc), 0);
	add(r, place, 5);
	ck_assert_uint_eq(recent_find(r, text, &loc), 0);
	add(r, place, 5);
	ck_assert_uint_eq(recent_find(r, text, &loc), 24);
	ck_assert_uint_eq(loc.addr, 5);
	ck_assert_uint_eq(loc.off, 1);
	ck_assert_uint_eq(loc.sym, 2);
	ck_assert_uint_eq(loc.dso, 3);
	ck_assert_uint_eq(recent_find(r, place, &loc), 24);
	/* shorter, and different in one byte */
	place.n = 23;
	ck_assert_uint_eq(recent_find(r, place, &loc), 0);
	ck_assert_uint_eq(recent_find(r, STR("7f5029da6be4 f+0x164 (y) and more"), &loc), 0);
	ck_assert_uint_eq(recent_find(r, STR(""), &loc), 0);
	recent_free(r);
	recent_free(NULL);
}
END_TEST

/* The shortest and the longest text that is taken up, and one byte less and more. */
START_TEST(test_lengths)
{
	struct recent *r = recent_new();
	struct location loc;
	char text[300];

	memset(text, 'x', sizeof(text));
	for (size_t n = 1; n < sizeof(text); n++) {
		text[0] = (char)n;
		text[1] = (char)(n >> 8);
		for (int i = 0; i < 2; i++)
			add(r, (struct str){ text, n }, n);
		ck_assert_uint_eq(recent_find(r, (struct str){ text, sizeof(text) }, &loc),
				  n >= 16 && n <= 224 ? n : 0);
	}
	recent_free(r);
}
END_TEST

/* Many more than there is room for: what is found is right, and most of a small set is found. */
START_TEST(test_many)
{
	struct recent *r = recent_new();
	unsigned int found = 0;

	for (unsigned int i = 0; i < 300000; i++) {
		unsigned int which = i < 200000 ? i / 2 : i % 3000;
		struct location loc;
		char text[64];
		size_t n;

		snprintf(text, sizeof(text), "7fff%08x f%u+0x0 (libc.so.6)", which * 16, which);
		n = recent_find(r, str_of(text), &loc);
		if (n && (n != strlen(text) || loc.addr != which))
			ck_abort_msg("%s", text);
		found += i >= 250000 && n;
		if (!n)
			add(r, str_of(text), which);
	}
	ck_assert_uint_gt(found, 45000);
	recent_free(r);
}
END_TEST

SUITE_MAIN("recent", test_taken_up_the_second_time, test_lengths, test_many)
