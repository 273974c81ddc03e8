/* SPDX-License-Identifier: MIT */
#include "record/resolution.h"

#include "support/suite.h"

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TRIES 200000

static struct resolution parses(const char *text)
{
	struct resolution r;
	struct err err = ERR_INIT;

	ck_assert_msg(resolution_parse(&r, text, &err) == 0, "%s: %s", text, err.msg);
	return r;
}

static void parses_custom(const char *text, const char *terms)
{
	struct resolution r = parses(text);

	ck_assert_int_eq(r.kind, RESOLUTION_CUSTOM);
	ck_assert_str_eq(r.terms, terms);
}

static void parses_sample(const char *text, uint32_t freq)
{
	struct resolution r = parses(text);

	ck_assert_int_eq(r.kind, RESOLUTION_SAMPLE);
	ck_assert_uint_eq(r.freq, freq);
}

static void refuses(const char *text, const char *because)
{
	struct resolution r = { .kind = RESOLUTION_LOW, .freq = 77 };
	struct err err = ERR_INIT;

	ck_assert_msg(resolution_parse(&r, text, &err) == -1, "%s", text);
	ck_assert_msg(strstr(err.msg, because) != NULL, "%s: %s", text, err.msg);
	ck_assert_ptr_nonnull(strstr(err.hint, "Custom(TERM=N"));
	ck_assert_int_eq(r.kind, RESOLUTION_LOW);
	ck_assert_uint_eq(r.freq, 77);
}

START_TEST(test_words)
{
	ck_assert_int_eq(parses("Low").kind, RESOLUTION_LOW);
	ck_assert_int_eq(parses("normal").kind, RESOLUTION_NORMAL);
	ck_assert_int_eq(parses("HIGH").kind, RESOLUTION_HIGH);
	ck_assert_int_eq(parses(" High ").kind, RESOLUTION_HIGH);
	refuses("", "there is no ''");
	refuses("Lowest", "there is no 'Lowest'");
	refuses("Low High", "'High' is too much");
	refuses("(Low)", "there is no 'Low'");
}
END_TEST

START_TEST(test_sample)
{
	parses_sample("Sample(5000)", 5000);
	parses_sample("sample( 1 )", 1);
	parses_sample("Sample(4294967295)", UINT32_MAX);
	parses_sample("(Sample (freq 5000))", 5000);
	parses_sample("(sample(freq 7))", 7);
	refuses("Sample", "'(' is missing at the end");
	refuses("Sample()", "'' is not a number of samples");
	refuses("Sample(0)", "'0' is not a number of samples");
	refuses("Sample(-1)", "is not a number of samples");
	refuses("Sample(5k)", "'5k' is not a number of samples");
	refuses("Sample(4294967296)", "is not a number of samples");
	refuses("Sample(5000", "')' is missing at the end");
	refuses("Sample(5000))", "')' is too much");
	refuses("(Sample (rate 5000))", "'(freq N)' is missing");
	refuses("(Sample 5000)", "'(freq N)' is missing before '5000)'");
	refuses("(Sample (freq 5000)", "')' is missing at the end");
}
END_TEST

START_TEST(test_custom)
{
	parses_custom("Custom(cyc=1)", "cyc=1");
	parses_custom("custom( cyc = 1 , mtc_period = 3 )", "cyc=1,mtc_period=3");
	parses_custom("Custom(psb_period=15,noretcomp=true,mtc=false,cyc_thresh=0)",
		      "psb_period=15,noretcomp=1,mtc=0,cyc_thresh=0");
	parses_custom("(Custom (cyc true)(psb_period 3))", "cyc=1,psb_period=3");
	parses_custom("(Custom (cyc true) (cyc_thresh 1) (mtc true) (mtc_period 9)"
		      " (noretcomp false) (psb_period 10))",
		      "cyc=1,cyc_thresh=1,mtc=1,mtc_period=9,noretcomp=0,psb_period=10");
	refuses("Custom()", "there is no term ''");
	refuses("(Custom)", "'(' is missing before ')'");
	refuses("Custom(cyc)", "'=' is missing");
	refuses("Custom(cyc=2)", "cyc is 0 or 1, not '2'");
	refuses("Custom(cyc_thresh=16)", "cyc_thresh is 0 to 15, not '16'");
	refuses("Custom(psb_period=true)", "psb_period is 0 to 15, not 'true'");
	refuses("Custom(cyc=1,cyc=1)", "cyc is given twice");
	refuses("Custom(pt=1)", "there is no term 'pt'");
	refuses("Custom(cyc=1,)", "there is no term ''");
	refuses("Custom(cyc=1/u -a)", "')' is missing before '/u -a)'");
	refuses("(Custom (cyc=1))", "cyc is 0 or 1");
}
END_TEST

/* Messages are bounded, and the whole of a long argument is not repeated. */
START_TEST(test_long_text)
{
	char text[5000];
	struct resolution r;
	struct err err = ERR_INIT;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(resolution_parse(&r, text, &err), -1);
	memcpy(text, "Custom(cyc=", 11);
	ck_assert_int_eq(resolution_parse(&r, text, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "cyc is 0 or 1"));
}
END_TEST

/* The grammar once more, as a regular expression; that no term comes twice is asked apart. */
#define B           "[ \t]*"
#define SWITCH      "(cyc|mtc|noretcomp)"
#define NUMBER      "(cyc_thresh|mtc_period|psb_period)"
#define ONOFF       "(0*[01]|true|false)"
#define UPTO15      "(0*[0-9]|0*1[0-5])"
#define TERM        "(" SWITCH B "=" B ONOFF "|" NUMBER B "=" B UPTO15 ")"
#define LIST        "\\(" B "(" SWITCH "[ \t]+" ONOFF "|" NUMBER "[ \t]+" UPTO15 ")" B "\\)"
#define FREQ        "0*[1-9][0-9]{0,9}"
#define WORD_LOW    "[Ll][Oo][Ww]"
#define WORD_NORMAL "[Nn][Oo][Rr][Mm][Aa][Ll]"
#define WORD_HIGH   "[Hh][Ii][Gg][Hh]"
#define WORD_SAMPLE "[Ss][Aa][Mm][Pp][Ll][Ee]"
#define WORD_CUSTOM "[Cc][Uu][Ss][Tt][Oo][Mm]"

static const char grammar[] =
	"^" B "(" WORD_LOW "|" WORD_NORMAL "|" WORD_HIGH "|" WORD_SAMPLE B "\\(" B FREQ B "\\)"
	"|\\(" B WORD_SAMPLE B "\\(" B "freq[ \t]+" FREQ B "\\)" B "\\)"
	"|" WORD_CUSTOM B "\\(" B TERM "(" B "," B TERM ")*" B "\\)"
	"|\\(" B WORD_CUSTOM B LIST "(" B LIST ")*" B "\\))" B "$";

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Replaces, removes, inserts or doubles a piece, a few times. */
static void mutate(char *text, size_t size, uint64_t *seed)
{
	static const char bytes[] = "()=, \tcymtLSC0159trueqx_-/\x80";

	for (uint64_t times = 1 + next(seed) % 3; times; times--) {
		size_t n = strlen(text), at = n ? next(seed) % n : 0;
		char byte = bytes[next(seed) % (sizeof(bytes) - 1)];

		switch (next(seed) % 3) {
		case 0:
			if (n)
				text[at] = byte;
			break;
		case 1: memmove(text + at, text + at + (n > 0), n - at + (n == 0)); break;
		default:
			if (n + 2 > size)
				break;
			memmove(text + at + 1, text + at, n - at + 1);
			text[at] = byte;
		}
	}
}

START_TEST(test_garbage_is_refused)
{
	static const char *const seeds[] = {
		"Low",
		"Sample(5000)",
		"(Sample (freq 5000))",
		"Custom(cyc=1,mtc_period=3)",
		"(Custom (cyc true)(psb_period 13))",
	};
	size_t taken = 0;
	uint64_t seed = 1;
	regex_t re, made;

	ck_assert_int_eq(regcomp(&re, grammar, REG_EXTENDED | REG_NOSUB), 0);
	ck_assert_int_eq(
		regcomp(&made, "^[a-z_]+=[0-9]+(,[a-z_]+=[0-9]+)*$", REG_EXTENDED | REG_NOSUB), 0);
	for (size_t i = 0; i < TRIES; i++) {
		struct resolution r;
		char text[64];
		bool ok, grammatical;

		snprintf(text, sizeof(text), "%s", seeds[i % 5]);
		mutate(text, sizeof(text), &seed);
		ok = resolution_parse(&r, text, NULL) == 0;
		grammatical = regexec(&re, text, 0, NULL, 0) == 0;
		ck_assert_msg(!ok || grammatical, "taken: %s", text);
		/* of what is in the grammar only numbers too large and terms twice are refused */
		ck_assert_msg(ok || !grammatical || strstr(text, "ample") || strchr(text, '='),
			      "refused: %s", text);
		taken += ok;
		if (ok && r.kind == RESOLUTION_CUSTOM)
			ck_assert_int_eq(regexec(&made, r.terms, 0, NULL, 0), 0);
	}
	regfree(&re);
	regfree(&made);
	/* the loop saw both kinds */
	ck_assert_uint_gt(taken, TRIES / 100);
	ck_assert_uint_lt(taken, TRIES);
}
END_TEST

SUITE_MAIN("resolution", test_words, test_sample, test_custom, test_long_text,
	   test_garbage_is_refused)
