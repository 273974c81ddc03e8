/* SPDX-License-Identifier: MIT */
#include "symbol/match.h"

#include "base/str.h"
#include "symbol/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The bytes of a name before its parameters. */
static size_t without_parameters(const char *text)
{
	const char *at = text;

	for (;;) {
		at += strcspn(at, "(");
		if (strncmp(at, ANONYMOUS, sizeof(ANONYMOUS) - 1) != 0)
			return (size_t)(at - text);
		at += sizeof(ANONYMOUS) - 1;
	}
}

/* The last part of A::B<C::D>::E that is not in angle brackets. */
static struct str last_part(const char *text, size_t n)
{
	size_t depth = 0, start = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '<')
			depth++;
		else if (text[i] == '>' && depth)
			depth--;
		else if (text[i] == ':' && !depth)
			start = i + 1;
	}
	return (struct str){ .p = text + start, .n = n - start };
}

/*
 * The function's own name, which mangled names spell out. Not so those of operators, and of
 * constructors and destructors of the standard library; nor what the compiler has made up.
 */
static struct str own_name(const char *text)
{
	struct str none = STR(""), part = last_part(text, without_parameters(text)), before;
	const char *bracket = memchr(part.p, '<', part.n);
	size_t start;

	if (strstr(text, "operator") || strpbrk(text, "~{"))
		return none;
	if (bracket)
		part.n = (size_t)(bracket - part.p);
	while (part.n && !is_word(part.p[part.n - 1]))
		part.n--;
	for (start = part.n; start && is_word(part.p[start - 1]);)
		start--;
	part = str_skip(part, start);
	/* A::A */
	if (part.p > text + 2 && part.p[-1] == ':') {
		before = last_part(text, (size_t)(part.p - 2 - text));
		bracket = memchr(before.p, '<', before.n);
		if (bracket)
			before.n = (size_t)(bracket - before.p);
		if (str_eq(before, part))
			return none;
	}
	return part;
}

static size_t squeeze(char *out, const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		if (*text != ' ')
			out[n++] = *text;
	out[n] = '\0';
	return n;
}

void match_init(struct match_query *query, const char *text)
{
	struct str word;

	*query = (struct match_query){ .text = text, .n = strlen(text) };
	if (query->n > MATCH_TEXT_MAX)
		return;
	query->n_squeezed = squeeze(query->squeezed, text);
	word = own_name(text);
	if (word.n < sizeof(query->word))
		memcpy(query->word, word.p, word.n);
}

/* Takes what is in angle brackets out of a name. */
static void drop_arguments(char *name)
{
	size_t depth = 0;
	char *out = name;

	if (strstr(name, "operator"))
		return;
	for (; *name; name++) {
		depth += *name == '<';
		if (!depth)
			*out++ = *name;
		depth -= *name == '>' && depth;
	}
	*out = '\0';
}

/* `name` has no blanks. */
static enum match compare(const struct match_query *query, const char *name, size_t n)
{
	const char *tail;

	if (n < query->n_squeezed)
		return MATCH_NONE;
	tail = name + (n - query->n_squeezed);
	if (memcmp(tail, query->squeezed, query->n_squeezed) != 0)
		return MATCH_NONE;
	if (tail == name)
		return MATCH_NAME;
	return tail - name >= 2 && tail[-1] == ':' && tail[-2] == ':' ? MATCH_PART : MATCH_NONE;
}

/* The compiler's clones (.cold, .part.0) are other functions, ThinLTO's renamed ones are not. */
static bool is_clone(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot && strncmp(dot, ".llvm.", 6) != 0;
}

static enum match match_demangled(const struct match_query *query, const char *name)
{
	/* a name that was typed without parameters can only be the short one */
	enum demangle_form last = strchr(query->text, ')') ? DEMANGLE_RETURN : DEMANGLE_SHORT;
	char text[2 * DEMANGLE_NAME_MAX];
	enum match best = MATCH_NONE;

	for (enum demangle_form form = is_clone(name) ? DEMANGLE_FULL : DEMANGLE_SHORT;
	     form <= last; form++) {
		enum match match;

		if (!demangle(name, form, text, sizeof(text)))
			break;
		match = compare(query, text, squeeze(text, text));
		/* the return type stands before the name, and is no part of it */
		if (match == MATCH_NAME || (match > best && form != DEMANGLE_RETURN))
			best = match;
		if (best == MATCH_NONE && form == DEMANGLE_SHORT && !strchr(query->text, '<')) {
			drop_arguments(text);
			best = compare(query, text, strlen(text)) ? MATCH_PART : MATCH_NONE;
		}
	}
	return best;
}

enum match match_name(const struct match_query *query, const char *name)
{
	if (strncmp(name, query->text, query->n) == 0) {
		const char *rest = name + query->n;

		if (rest[0] == '\0' || (rest[0] == '@' && rest[1] == '@'))
			return MATCH_EXACT;
		if (rest[0] == '@')
			return MATCH_OLD;
	}
	if (!demangle_is_mangled(name) || !query->n_squeezed)
		return MATCH_NONE;
	if (strnlen(name, DEMANGLE_NAME_MAX + 1) > DEMANGLE_NAME_MAX || !strstr(name, query->word))
		return MATCH_NONE;
	return match_demangled(query, name);
}

enum match match_shown(const struct match_query *query, const char *name)
{
	char text[2 * DEMANGLE_NAME_MAX];
	enum match match;

	if (strcmp(name, query->text) == 0)
		return MATCH_EXACT;
	if (!query->n_squeezed || !strstr(query->text, "::") || strlen(name) >= sizeof(text))
		return MATCH_NONE;
	match = compare(query, text, squeeze(text, name));
	if (match != MATCH_NONE || strchr(query->text, '<'))
		return match;
	drop_arguments(text);
	return compare(query, text, strlen(text)) ? MATCH_PART : MATCH_NONE;
}
