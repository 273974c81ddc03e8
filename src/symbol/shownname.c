/* SPDX-License-Identifier: MIT */
#include "symbol/shownname.h"

#include "base/num.h"
#include "symbol/demangle.h"

#include <ctype.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes off the end of s what begins at `at`, and puts it before what *clone has. */
static void take_off(struct str *s, size_t at, struct str *clone)
{
	/* all of it stands in one text */
	*clone = (struct str){ .p = s->p + at, .n = s->n - at + clone->n };
	s->n = at;
}

/* Where the last part of s begins when it is ".WORD" or ".WORD.NUMBER"; else s.n. */
static size_t last_clone(struct str s)
{
	static const struct {
		struct str word;
		bool alone, numbered; /* without, with a number behind it */
	} known[] = {
		{ { ".constprop", 10 }, false, true }, { { ".isra", 5 }, false, true },
		{ { ".part", 5 }, false, true },       { { ".cold", 5 }, true, true },
		{ { ".lto_priv", 9 }, false, true },   { { ".llvm", 5 }, false, true },
		{ { ".localalias", 11 }, true, true },
	};
	size_t end = s.n;

	while (end && is_digit(s.p[end - 1]))
		end--;
	if (end < s.n && end && s.p[end - 1] == '.')
		end--;
	else
		end = s.n;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct str word = known[i].word;

		/* something must be left */
		if ((end < s.n ? known[i].numbered : known[i].alone) && end > word.n &&
		    memcmp(s.p + end - word.n, word.p, word.n) == 0)
			return end - word.n;
	}
	return s.n;
}

/* As demanglers write it: " [clone .cold]". */
static size_t last_clone_in_brackets(struct str s)
{
	static const struct str mark = { " [clone ", 8 };
	const char *open = s.n && s.p[s.n - 1] == ']' ? memrchr(s.p, '[', s.n) : NULL;
	size_t at;

	if (!open || open == s.p)
		return s.n;
	at = (size_t)(open - s.p) - 1;
	return at && str_starts(str_skip(s, at), mark) ? at : s.n;
}

static void take_clones(struct str *name, struct str *clone)
{
	for (;;) {
		size_t at = last_clone(*name);

		if (at == name->n)
			at = last_clone_in_brackets(*name);
		if (at == name->n)
			return;
		take_off(name, at, clone);
	}
}

/* "::h" and 16 digits of a hash. */
static void drop_rust_hash(struct str *name)
{
	static const struct str mark = { "::h", 3 };
	size_t at = name->n - 19;

	if (name->n <= 19 || !str_starts(str_skip(*name, at), mark))
		return;
	for (size_t i = at + mark.n; i < name->n; i++)
		if (num_hex_digits[(unsigned char)name->p[i]] > 0xf)
			return;
	name->n = at;
}

static bool is_ocaml(struct str name)
{
	return name.n > 5 && str_starts(name, STR("caml")) && isupper((unsigned char)name.p[4]);
}

/* "__" is a dot, "$xx" a byte in hex. False: it is no name of OCaml code after all. */
static bool write_ocaml(struct shownname *shown, struct str rest)
{
	bool dotted = false;
	size_t n = 0;

	while (rest.n) {
		uint8_t high = 0xff, low = 0xff;

		if (rest.n > 2 && rest.p[0] == '$') {
			high = num_hex_digits[(unsigned char)rest.p[1]] & (uint8_t)~NUM_UPPER;
			low = num_hex_digits[(unsigned char)rest.p[2]] & (uint8_t)~NUM_UPPER;
		}
		if (rest.n > 2 && n && str_starts(rest, STR("__"))) {
			shown->buf[n++] = '.';
			rest = str_skip(rest, 2);
			dotted = true;
		} else if (high <= 0xf && low <= 0xf && (high || low)) {
			shown->buf[n++] = (char)(high << 4 | low);
			rest = str_skip(rest, 3);
		} else {
			dotted = dotted || rest.p[0] == '.';
			shown->buf[n++] = rest.p[0];
			rest = str_skip(rest, 1);
		}
	}
	shown->name = (struct str){ .p = shown->buf, .n = n };
	return dotted;
}

static void write_demangled(struct shownname *shown)
{
	char mangled[DEMANGLE_NAME_MAX + 1];
	struct str name = shown->name;

	if (is_ocaml(name)) {
		if (!write_ocaml(shown, str_skip(name, 4)))
			shown->name = name;
		return;
	}
	if (name.n > 2 && name.n <= DEMANGLE_NAME_MAX && name.p[0] == '_' &&
	    !memchr(name.p, '\0', name.n)) {
		memcpy(mangled, name.p, name.n);
		mangled[name.n] = '\0';
		if (demangle(mangled, DEMANGLE_SHORT, shown->buf, sizeof(shown->buf)))
			shown->name = str_of(shown->buf);
	}
	drop_rust_hash(&shown->name);
}

void shownname(struct shownname *shown, struct str raw, bool demangled)
{
	shown->name = raw;
	shown->clone = STR("");
	if (raw.n >= SHOWNNAME_MAX)
		return;
	take_clones(&shown->name, &shown->clone);
	if (demangled)
		write_demangled(shown);
}
