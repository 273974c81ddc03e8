/* SPDX-License-Identifier: MIT */
#include "record/resolution.h"

#include "base/num.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What the PT event takes. The numbers are fields of 4 bits (.../devices/intel_pt/format). */
static const struct term {
	const char *name;
	bool is_switch; /* 0 or 1, else 0 to 15 */
} terms[] = {
	{ "cyc", true },         { "mtc", true },         { "noretcomp", true },
	{ "cyc_thresh", false }, { "mtc_period", false }, { "psb_period", false },
};

#define N_TERMS (sizeof(terms) / sizeof(*terms))

struct parser {
	struct str rest;
	struct resolution *to;
	bool given[N_TERMS];
};

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void skip_blanks(struct parser *p)
{
	while (p->rest.n && (p->rest.p[0] == ' ' || p->rest.p[0] == '\t'))
		p->rest = str_skip(p->rest, 1);
}

/* Takes the mark c, if it comes next. */
static bool take(struct parser *p, char c)
{
	skip_blanks(p);
	if (!p->rest.n || p->rest.p[0] != c)
		return false;
	p->rest = str_skip(p->rest, 1);
	return true;
}

static bool at_end(struct parser *p)
{
	skip_blanks(p);
	return p->rest.n == 0;
}

/* The word that comes next; empty: none does. */
static struct str take_word(struct parser *p)
{
	struct str word;

	skip_blanks(p);
	word = (struct str){ .p = p->rest.p, .n = 0 };
	while (word.n < p->rest.n && is_word_byte(word.p[word.n]))
		word.n++;
	p->rest = str_skip(p->rest, word.n);
	return word;
}

static bool is(struct str word, const char *name)
{
	return word.n == strlen(name) && strncasecmp(word.p, name, word.n) == 0;
}

static int expected(const struct parser *p, const char *what, struct err *err)
{
	if (p->rest.n == 0)
		return err_set(err, "%s is missing at the end", what);
	return err_set(err, "%s is missing before '%.64s'", what, p->rest.p);
}

static int parse_freq(struct parser *p, struct err *err)
{
	struct str word = take_word(p), rest = word;
	uint64_t v;

	if (!num_dec(&rest, &v) || rest.n || v == 0 || v > UINT32_MAX)
		return err_set(err, "'%.*s' is not a number of samples a second", (int)word.n,
			       word.p);
	p->to->freq = (uint32_t)v;
	return 0;
}

static int parse_value(const struct term *term, struct str word, unsigned int *value)
{
	struct str rest = word;
	uint64_t v;

	if (term->is_switch && (str_eq(word, STR("true")) || str_eq(word, STR("false")))) {
		*value = str_eq(word, STR("true"));
		return 0;
	}
	if (!num_dec(&rest, &v) || rest.n || v > (term->is_switch ? 1 : 15))
		return -1;
	*value = (unsigned int)v;
	return 0;
}

/* One term: its name, the mark between (0: only blanks), its value. */
static int parse_term(struct parser *p, char between, struct err *err)
{
	size_t i = 0, n = strlen(p->to->terms);
	struct str name = take_word(p), word;
	unsigned int value;

	while (i < N_TERMS && !str_eq(name, str_of(terms[i].name)))
		i++;
	if (i == N_TERMS)
		return err_set(err, "there is no term '%.*s'", (int)name.n, name.p);
	if (p->given[i])
		return err_set(err, "%s is given twice", terms[i].name);
	p->given[i] = true;
	if (between && !take(p, between))
		return expected(p, "'='", err);
	word = take_word(p);
	if (parse_value(&terms[i], word, &value) < 0)
		return err_set(err, "%s is %s, not '%.*s'", terms[i].name,
			       terms[i].is_switch ? "0 or 1" : "0 to 15", (int)word.n, word.p);
	snprintf(p->to->terms + n, sizeof(p->to->terms) - n, "%s%s=%u", n ? "," : "", terms[i].name,
		 value);
	return 0;
}

/* What stands behind "Custom(". */
static int parse_terms(struct parser *p, struct err *err)
{
	do {
		if (parse_term(p, '=', err) < 0)
			return -1;
	} while (take(p, ','));
	return 0;
}

/* What stands behind "(Custom": at least one list of two. */
static int parse_lists(struct parser *p, struct err *err)
{
	if (!take(p, '('))
		return expected(p, "'('", err);
	do {
		if (parse_term(p, 0, err) < 0)
			return -1;
		if (!take(p, ')'))
			return expected(p, "')'", err);
	} while (take(p, '('));
	return 0;
}

/* What stands behind "(Sample". */
static int parse_freq_list(struct parser *p, struct err *err)
{
	if (!take(p, '(') || !str_eq(take_word(p), STR("freq")))
		return expected(p, "'(freq N)'", err);
	if (parse_freq(p, err) < 0)
		return -1;
	return take(p, ')') ? 0 : expected(p, "')'", err);
}

static int parse(struct parser *p, struct err *err)
{
	bool list = take(p, '('), sample;
	struct str word = take_word(p);
	int failed;

	if (!list) {
		p->to->kind = is(word, "Low")    ? RESOLUTION_LOW
			      : is(word, "High") ? RESOLUTION_HIGH
						 : RESOLUTION_NORMAL;
		if (is(word, "Low") || is(word, "Normal") || is(word, "High"))
			return 0;
	}
	sample = is(word, "Sample");
	if (!sample && !is(word, "Custom"))
		return err_set(err, "there is no '%.*s'", (int)word.n, word.p);
	p->to->kind = sample ? RESOLUTION_SAMPLE : RESOLUTION_CUSTOM;
	if (!list && !take(p, '('))
		return expected(p, "'('", err);
	if (sample)
		failed = list ? parse_freq_list(p, err) : parse_freq(p, err);
	else
		failed = list ? parse_lists(p, err) : parse_terms(p, err);
	if (failed)
		return -1;
	return take(p, ')') ? 0 : expected(p, "')'", err);
}

int resolution_parse(struct resolution *resolution, const char *text, struct err *err)
{
	struct resolution made = { .kind = RESOLUTION_NORMAL };
	struct parser p = { .rest = str_of(text), .to = &made };

	if (parse(&p, err) == 0) {
		if (at_end(&p)) {
			*resolution = made;
			return 0;
		}
		err_set(err, "'%.64s' is too much", p.rest.p);
	}
	err_prefix(err, "-timer-resolution '%.100s'", text);
	return err_hint(
		err,
		"give Low, Normal, High, Sample(FREQUENCY), or Custom(TERM=N,...) with the terms cyc, mtc, noretcomp (0 or 1), cyc_thresh, mtc_period, psb_period (0 to 15)");
}
