/* SPDX-License-Identifier: MIT */
#include "record/jsontext.h"

#include "support/suite.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

static void check_encoded(const char *name, const char *want)
{
	char *text = jsontext_encode(str_of(name));

	ck_assert_str_eq(text, want);
	jsontext_decode(text);
	ck_assert_str_eq(text, name);
	free(text);
}

/* U+10FE80, U+10FEBF, U+10FEC0, U+10FEFF in UTF-8 (RFC 3629), by hand. */
START_TEST(test_encoded)
{
	check_encoded("", "");
	check_encoded("plain \"name\"\n", "plain \"name\"\n");
	check_encoded("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "ä € 😀");
	check_encoded("a\x80z", "a\xf4\x8f\xba\x80z");
	check_encoded("\xbf\xc0\xff", "\xf4\x8f\xba\xbf\xf4\x8f\xbb\x80\xf4\x8f\xbb\xbf");
	/* a character cut short; a surrogate */
	check_encoded("\xe2\x82", "\xf4\x8f\xbb\xa2\xf4\x8f\xba\x82");
	check_encoded("\xed\xa0\x80", "\xf4\x8f\xbb\xad\xf4\x8f\xba\xa0\xf4\x8f\xba\x80");
	/* one of the stand-ins itself, and its neighbours, which are none */
	check_encoded("\xf4\x8f\xba\x80",
		      "\xf4\x8f\xbb\xb4\xf4\x8f\xba\x8f\xf4\x8f\xba\xba\xf4\x8f\xba\x80");
	check_encoded("\xf4\x8f\xb9\xbf\xf4\x8f\xbc\x80", "\xf4\x8f\xb9\xbf\xf4\x8f\xbc\x80");
}
END_TEST

/* Whatever the bytes: JSON takes the text, and the way back gives the bytes. */
START_TEST(test_any_bytes)
{
	static const unsigned char likely[] = { 0xf4, 0x8f, 0xba, 0xbb, 0x80, 0xbf,
						0xc3, 0xed, 0xe0, 0xf0, 'a',  '\\' };
	uint64_t state = 1;

	for (int i = 0; i < 200000; i++) {
		char name[12], *text;
		json_t *json;
		size_t n;

		state = state * 6364136223846793005u + 1442695040888963407u;
		n = state >> 60;
		n = n < sizeof(name) ? n : sizeof(name) - 1;
		for (size_t j = 0; j < n; j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			name[j] = (char)(state >> 63 ? likely[(state >> 40) % sizeof(likely)]
						     : 1 + (state >> 40) % 255);
		}
		name[n] = '\0';
		text = jsontext_encode(str_of(name));
		json = json_string(text);
		ck_assert_ptr_nonnull(json);
		json_decref(json);
		jsontext_decode(text);
		ck_assert_str_eq(text, name);
		free(text);
	}
}
END_TEST

SUITE_MAIN("jsontext", test_encoded, test_any_bytes)
