/* SPDX-License-Identifier: MIT */
#include "cli/filter_arg.h"

#include "base/str.h"
#include "base/xalloc.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FORMS "-filter takes START:STOP or '(START STOP)', names with spaces in \"...\""

void filter_arg_fini(struct filter_arg *arg)
{
	free(arg->start);
	free(arg->stop);
	*arg = (struct filter_arg){ 0 };
}

static struct str trim(struct str s)
{
	while (s.n && isspace((unsigned char)s.p[0]))
		s = str_skip(s, 1);
	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Whether the bracket that opens s is closed by the last byte of s, and not before. */
static bool is_bracketed(struct str s)
{
	bool quoted = false;
	size_t depth = 0;

	if (!s.n || s.p[0] != '(')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && c == '(')
			depth++;
		else if (!quoted && c == ')' && --depth == 0)
			return i == s.n - 1;
	}
	return s.p[s.n - 1] == ')';
}

/* Takes "..." from the front of *s, which begins with the quote. NULL: it does not end. */
static char *take_quoted(struct str *s)
{
	char *name = xmalloc(s->n + 1);
	size_t n = 0;

	for (size_t i = 1; i < s->n; i++) {
		if (s->p[i] == '"') {
			name[n] = '\0';
			*s = str_skip(*s, i + 1);
			return name;
		}
		if (s->p[i] == '\\' && i + 1 < s->n)
			i++;
		name[n++] = s->p[i];
	}
	free(name);
	return NULL;
}

/* Takes a name from the front of *s. NULL with err when there is none. */
static char *take_name(struct str *s, const char *which, struct err *err)
{
	char *name = NULL;
	size_t n = 0;

	*s = trim(*s);
	if (s->n && s->p[0] == '"') {
		name = take_quoted(s);
		if (!name)
			err_set(err, "-filter: the quotes of %s are not closed", which);
		return name;
	}
	while (n < s->n && !isspace((unsigned char)s->p[n]) && !strchr("()\"", s->p[n]))
		n++;
	if (n < s->n && strchr("()\"", s->p[n])) {
		err_set(err, "-filter: %s has brackets or quotes in it and must be in \"...\"",
			which);
		return NULL;
	}
	if (n == 0) {
		err_set(err, "-filter: %s is missing", which);
		return NULL;
	}
	name = xmemdup0(s->p, n);
	*s = str_skip(*s, n);
	return name;
}

static int parse_bracketed(struct filter_arg *arg, struct str s, struct err *err)
{
	s = str_skip(s, 1);
	s.n--;
	arg->start = take_name(&s, "START", err);
	if (!arg->start)
		return -1;
	arg->stop = take_name(&s, "STOP", err);
	if (!arg->stop)
		return -1;
	if (trim(s).n)
		return err_set(err, "-filter: there is more than two names in '(START STOP)'");
	return 0;
}

/* Where START ends in START:STOP: at the only ':' without another beside it. */
static int find_split(struct str s, size_t *at, struct err *err)
{
	size_t single = 0;

	for (size_t i = 0, run; i < s.n; i += run ? run : 1) {
		for (run = 0; i + run < s.n && s.p[i + run] == ':'; run++)
			;
		if (run == 1) {
			*at = i;
			single++;
		} else if (run > 2) {
			return err_set(err, "-filter: '%.*s' can be split in more than one way",
				       (int)s.n, s.p);
		}
	}
	if (single == 0)
		return err_set(err, "-filter: there is no START:STOP in '%.*s'", (int)s.n, s.p);
	if (single > 1)
		return err_set(err, "-filter: '%.*s' can be split in more than one way", (int)s.n,
			       s.p);
	return 0;
}

static int parse_colon(struct filter_arg *arg, struct str s, struct err *err)
{
	struct str start, stop;
	size_t at = 0;

	if (find_split(s, &at, err) < 0)
		return -1;
	start = trim((struct str){ .p = s.p, .n = at });
	stop = trim(str_skip(s, at + 1));
	if (!start.n || !stop.n)
		return err_set(err, "-filter: %s is missing in '%.*s'", start.n ? "STOP" : "START",
			       (int)s.n, s.p);
	arg->start = xmemdup0(start.p, start.n);
	arg->stop = xmemdup0(stop.p, stop.n);
	return 0;
}

static bool is_empty(const char *name)
{
	return !name || !*name;
}

int filter_arg_parse(struct filter_arg *arg, const char *text, struct err *err)
{
	struct filter_arg new = { 0 };
	struct str s = trim(str_of(text));
	bool good;

	good = (is_bracketed(s) ? parse_bracketed(&new, s, err) : parse_colon(&new, s, err)) == 0;
	if (good && (is_empty(new.start) || is_empty(new.stop))) {
		err_set(err, "-filter: a name is empty");
		good = false;
	}
	if (!good) {
		err_hint(err, "%s", FORMS);
		filter_arg_fini(&new);
		return -1;
	}
	if (!strcmp(new.start, new.stop)) {
		err_set(err, "-filter: START and STOP are both '%s', so nothing would be shown",
			new.start);
		filter_arg_fini(&new);
		return -1;
	}
	filter_arg_fini(arg);
	*arg = new;
	return 0;
}
