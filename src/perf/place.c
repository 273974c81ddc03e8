/* SPDX-License-Identifier: MIT */
#include "perf/place.h"

#include "base/num.h"
#include "base/xalloc.h"
#include "perf/recent.h"
#include "perf/scan.h"

#include <stdlib.h>
#include <string.h>

struct places {
	struct intern *names;
	struct recent *recent; /* owned */
	uint32_t dso;          /* the one met last, or INTERN_NONE */
	uint64_t bad_offsets;
};

/* The parts of a place. dso.p is NULL when there is none, sym.p when it is "[unknown]". */
struct parts {
	uint64_t addr, off;
	struct str sym, dso;
	bool bad_offset;
};

struct places *places_new(struct intern *names)
{
	struct places *p = xcalloc(1, sizeof(*p));

	p->names = names;
	p->recent = recent_new();
	return p;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	recent_free(p->recent);
	free(p);
}

const char *place_arrow(struct str s)
{
	const char *p = s.p, *end = s.p + s.n;

	while (p < end && (p = memchr(p, '=', (size_t)(end - p)))) {
		if (p > s.p && p[-1] == ' ' && end - p > 2 && p[1] == '>' && p[2] == ' ')
			return p - 1;
		p++;
	}
	return NULL;
}

/* The parenthesis that the one at the end of s closes, or NULL. */
static const char *opening(struct str s)
{
	const char *last = memrchr(s.p, '(', s.n), *p;
	size_t depth = 0;

	if (last && memchr(last, ')', (size_t)(s.p + s.n - last)) == s.p + s.n - 1)
		return last;
	for (p = s.p + s.n; p-- > s.p;) {
		if (*p == ')')
			depth++;
		else if (*p == '(' && --depth == 0)
			return p;
	}
	return NULL;
}

uint64_t places_bad_offsets(const struct places *p)
{
	return p->bad_offsets;
}

/* Reads "0xOFF", all of s. An offset of more than 64 bits is as bad as one of more than 62. */
static bool read_offset(struct str s, struct parts *parts)
{
	uint64_t *off = &parts->off;
	struct str rest = s;

	if (!scan_word(&rest, STR("0x")) || rest.n == 0)
		return false;
	s = rest;
	if (!num_hex_lower(&rest, off)) {
		*off = PLACE_MAX_OFFSET;
		while (rest.n && num_hex_digits[(unsigned char)*rest.p] <= 0xf)
			rest = str_skip(rest, 1);
	}
	parts->bad_offset = *off >= PLACE_MAX_OFFSET;
	if (parts->bad_offset)
		*off = 0;
	return rest.n == 0 && s.n > 0;
}

/* Splits "SYMBOL+0xOFF", all of s, at its last plus sign. */
static bool split_symbol(struct str s, struct parts *parts)
{
	const char *plus = s.n ? memrchr(s.p, '+', s.n) : NULL;

	if (!plus)
		return false;
	parts->sym = (struct str){ .p = s.p, .n = (size_t)(plus - s.p) };
	return read_offset(str_skip(s, parts->sym.n + 1), parts);
}

static bool split_name(struct str s, struct parts *parts)
{
	parts->off = 0;
	if (str_eq(s, STR("[unknown]"))) {
		parts->sym = (struct str){ 0 };
		return true;
	}
	return split_symbol(s, parts);
}

/* "SYMBOL+0xOFF (DSO)" with balanced parentheses. */
static bool split_strict(struct str s, struct parts *parts)
{
	const char *open;

	if (s.n == 0 || s.p[s.n - 1] != ')')
		return false;
	open = opening(s);
	if (!open || open == s.p || open[-1] != ' ')
		return false;
	/* no symbol begins with this */
	if (str_starts(s, STR("[unknown] (")) && open != s.p + sizeof("[unknown] (") - 2)
		return false;
	parts->dso = (struct str){ .p = open + 1, .n = (size_t)(s.p + s.n - open) - 2 };
	return split_name((struct str){ .p = s.p, .n = (size_t)(open - s.p) - 1 }, parts);
}

/* How long the "+0xHEX" at the front of s is, or 0. */
static size_t offset_length(struct str s)
{
	size_t n = 3;

	if (!str_starts(s, STR("+0x")))
		return 0;
	while (n < s.n && num_hex_digits[(unsigned char)s.p[n]] <= 0xf)
		n++;
	return n > 3 ? n : 0;
}

/* "[unknown] (DSO", "SYMBOL+0xOFF (DSO" with the last offset there is, or either without DSO. */
static bool split_loose(struct str s, struct parts *parts)
{
	bool closed = s.n && s.p[s.n - 1] == ')';
	struct str before = s;
	const char *plus;

	parts->dso = (struct str){ 0 };
	if (closed && str_starts(s, STR("[unknown] ("))) {
		parts->sym = (struct str){ 0 };
		parts->off = 0;
		parts->dso = str_skip(s, sizeof("[unknown] (") - 1);
		parts->dso.n--;
		return true;
	}
	if (s.n == 0 || split_name(s, parts))
		return s.n > 0;
	while (before.n && (plus = memrchr(before.p, '+', before.n))) {
		struct str at = str_skip(s, (size_t)(plus - s.p));
		size_t n = offset_length(at);

		before.n = (size_t)(plus - s.p);
		if (n == 0 || !closed || !str_starts(str_skip(at, n), STR(" (")))
			continue;
		parts->dso = str_skip(at, n + 2);
		parts->dso.n--;
		return split_symbol((struct str){ .p = s.p, .n = before.n + n }, parts);
	}
	return false;
}

/* Nearly always it is that of the place before. */
static uint32_t intern_dso(struct places *p, struct str dso)
{
	if (p->dso == INTERN_NONE || !str_eq(dso, intern_str(p->names, p->dso)))
		p->dso = intern_add(p->names, dso);
	return p->dso;
}

static void store(struct places *p, const struct parts *parts, struct location *loc)
{
	bool has_dso = parts->dso.p && !str_eq(parts->dso, STR("inlined"));

	p->bad_offsets += parts->bad_offset;
	loc->addr = parts->addr;
	loc->off = parts->off;
	loc->sym = parts->sym.p ? intern_add(p->names, parts->sym) : INTERN_NONE;
	loc->dso = has_dso ? intern_dso(p, parts->dso) : INTERN_NONE;
}

bool places_read_form(struct places *p, struct str text, enum place_form form, struct location *loc)
{
	struct parts parts = { 0 };
	struct str s = text;

	if (!num_hex_lower(&s, &parts.addr) || !scan_word(&s, STR(" ")))
		return false;
	if (form == PLACE_STRICT ? !split_strict(s, &parts) : !split_loose(s, &parts))
		return false;
	store(p, &parts, loc);
	return true;
}

size_t places_known(const struct places *p, struct str text, struct location *loc)
{
	return recent_find(p->recent, text, loc);
}

void places_keep(struct places *p, struct str text, const struct location *loc)
{
	if (!place_arrow(text))
		recent_add(p->recent, text, loc);
}

bool places_read(struct places *p, struct str text, struct location *loc)
{
	text = scan_trim_end(text);
	if (text.n && places_known(p, text, loc) == text.n)
		return true;
	if (!places_read_form(p, text, PLACE_STRICT, loc))
		return places_read_form(p, text, PLACE_LOOSE, loc);
	places_keep(p, text, loc);
	return true;
}

bool places_read_sampled(struct places *p, struct str text, struct location *loc)
{
	struct str rest;
	uint64_t addr;
	size_t blanks;

	scan_blanks(&text);
	rest = text;
	if (!num_hex_lower(&rest, &addr))
		return false;
	blanks = scan_blanks(&rest);
	if (blanks && places_read(p, rest, loc))
		return true;
	/* further apart than address and symbol are: these are two columns */
	return blanks == 1 && places_read(p, text, loc);
}
