/* SPDX-License-Identifier: MIT */
#include "trace/text.h"

#include "support/scratch.h"
#include "support/suite.h"

#include <string.h>

static char out[65536];
static unsigned flaws;

static const char *clean(size_t limit, struct str in)
{
	size_t n;

	flaws = 0;
	memset(out, '#', sizeof(out));
	n = text_clean(out, limit, in, &flaws);
	ck_assert_uint_le(n, limit);
	ck_assert_int_eq(out[limit], '#');
	out[n] = '\0';
	return out;
}

START_TEST(test_good_text_stays)
{
	const char *text = "a \xc2\xa0 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 "
			   "\xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf z";

	ck_assert_str_eq(clean(1000, str_of(text)), text);
	ck_assert_uint_eq(flaws, 0);
	ck_assert_str_eq(clean(1000, STR("")), "");
	ck_assert_str_eq(clean(1000, (struct str){ .n = 0 }), "");
}
END_TEST

START_TEST(test_nul_ends_it)
{
	ck_assert_str_eq(clean(1000, STR("main\0hidden")), "main");
	ck_assert_str_eq(clean(1000, STR("\0")), "");
	ck_assert_uint_eq(flaws, 0);
}
END_TEST

#define R "\xef\xbf\xbd"

/* The table 3-8 of the Unicode Standard, and the limits of what is well formed. */
START_TEST(test_bad_bytes)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "a\xff"
		  "b",
		  "a" R "b" },
		{ "\x80", R },
		{ "\xc0\xaf", R R },
		{ "\xe0\x80\xbf", R R R },
		{ "\xf0\x81\x82\x41", R R R "A" },
		{ "\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", R R R R R R R R "A" },
		{ "\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", R R R R R "A" R R "B" },
		{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", R R R R "A" },
		{ "\xf5\x80\x80\x80", R R R R },
		{ "\xe2\x80", R },     /* cut off at the end */
		{ "\xc3\x28", R "(" }, /* the next character is not swallowed */
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_str_eq(clean(1000, str_of(cases[i].in)), cases[i].want);
		ck_assert_uint_eq(flaws, TEXT_BAD_UTF8);
	}
}
END_TEST

/* A viewer may be a terminal; and a name is not to hide another. */
START_TEST(test_what_steers_is_escaped)
{
	ck_assert_str_eq(clean(1000, str_of("\x1b[2J\t\x7f")), "\\x1b[2J\\x09\\x7f");
	ck_assert_str_eq(clean(1000, str_of("\xc2\x9b"
					    "2J")),
			 "\\xc2\\x9b2J");
	ck_assert_str_eq(clean(1000, str_of("nwonk \xe2\x80\xae"
					    "known")),
			 "nwonk \\xe2\\x80\\xaeknown");
	ck_assert_uint_eq(flaws, 0);
	/* an escape is not cut in two */
	ck_assert_str_eq(clean(10, str_of("ab\x01\x01\x01")), "ab\\x01\xe2\x80\xa6");
	ck_assert_uint_eq(flaws, TEXT_CUT);
}
END_TEST

/* All two- and three-byte texts, as Python decodes them with errors="replace". */
START_TEST(test_equals_python)
{
	static const char python[] =
		"import unicodedata\n"
		"def shown(c):\n"
		" if unicodedata.category(c) != 'Cc' and c != '\\u061c':\n"
		"  return c\n"
		" return ''.join('\\\\x%02x' % b for b in c.encode())\n"
		"for a in range(128, 256):\n"
		" for b in range(1, 256):\n"
		"  for t in (b'', b'\\x80', b'x'):\n"
		"   text = bytes([a, b]) + t\n"
		"   out = ''.join(shown(c) for c in text.decode('utf8', 'replace'))\n"
		"   print(text.hex(), out.encode().hex())\n";
	struct scratch s;
	char in[4] = { 0 }, *line = NULL;
	size_t cap = 0;
	ssize_t n;
	FILE *want;
	int a, b;

	scratch_init(&s);
	scratch_put(&s, "p.py", python);
	ck_assert_int_eq(scratch_run(&s, "python3 p.py >want"), 0);
	want = fopen(scratch_path(&s, "want"), "r");
	for (a = 0; (n = getline(&line, &cap, want)) > 0; a++) {
		char hex[64] = "";
		const char *p = line;
		size_t used = 0;

		memset(in, 0, sizeof(in));
		for (b = 0; p[0] != ' '; b++, p += 2)
			in[b] = (char)strtol((char[]){ p[0], p[1], 0 }, NULL, 16);
		clean(1000, (struct str){ .p = in, .n = (size_t)b });
		for (b = 0; out[b]; b++)
			used += (size_t)snprintf(hex + used, sizeof(hex) - used, "%02x",
						 (unsigned char)out[b]);
		line[n - 1] = '\0';
		ck_assert_str_eq(hex, p + 1);
	}
	ck_assert_int_eq(a, 97920); /* 128 * 255 * 3 */
	fclose(want);
	free(line);
	scratch_fini(&s);
}
END_TEST

START_TEST(test_long_text_is_cut)
{
	char big[40000];
	struct str in = { .p = big, .n = sizeof(big) };

	memset(big, 'a', sizeof(big));
	clean(32000, in);
	ck_assert_uint_eq(flaws, TEXT_CUT);
	ck_assert_uint_eq(strlen(out), 32000);
	ck_assert_str_eq(out + 31996, "a\xe2\x80\xa6");
	/* What just fits stays. */
	in.n = 32000;
	ck_assert_uint_eq(strlen(clean(32000, in)), 32000);
	ck_assert_uint_eq(flaws, 0);
	ck_assert_int_eq(out[31999], 'a');
}
END_TEST

/* Characters of 1 to 4 bytes at every offset from the limit: none is cut in two. */
START_TEST(test_cut_between_characters)
{
	static const char *const chars[] = { "x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	char text[64];
	size_t i, shift, limit, n, k;

	for (i = 0; i < 4; i++) {
		n = strlen(chars[i]);
		for (shift = 0; shift < 4; shift++) {
			memset(text, 'y', shift);
			for (k = 0; k < 8; k++)
				memcpy(text + shift + k * n, chars[i], n);
			for (limit = 3; limit < shift + 8 * n; limit++) {
				size_t kept =
					strlen(clean(limit, (struct str){ text, shift + 8 * n })) -
					3;

				ck_assert_uint_eq(flaws, TEXT_CUT);
				ck_assert_str_eq(out + kept, "\xe2\x80\xa6");
				ck_assert_int_eq(memcmp(out, text, kept), 0);
				ck_assert(kept <= shift || (kept - shift) % n == 0);
				/* and no more is lost than must be */
				ck_assert_uint_gt(kept + (kept < shift ? 1 : n) + 3, limit);
			}
		}
	}
}
END_TEST

SUITE_MAIN("trace/text", test_good_text_stays, test_nul_ends_it, test_bad_bytes,
	   test_what_steers_is_escaped, test_equals_python, test_long_text_is_cut,
	   test_cut_between_characters)
