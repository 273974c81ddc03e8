/* SPDX-License-Identifier: MIT */
/* match: whether a function's name is the one that somebody typed. */
#ifndef MT_SYMBOL_MATCH_H
#define MT_SYMBOL_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* How well a name fits, the better the greater. */
enum match {
	MATCH_NONE,
	MATCH_PART,  /* the end of the demangled name (add_order of Book::add_order), or without
			its template arguments */
	MATCH_NAME,  /* the demangled name, with or without parameters */
	MATCH_OLD,   /* the raw name, as SYMBOL@VERSION that is not the default one */
	MATCH_EXACT, /* the raw name */
};

#define MATCH_TEXT_MAX 1023

struct match_query {
	const char *text; /* borrowed */
	size_t n;
	/* the rest is private */
	char squeezed[MATCH_TEXT_MAX + 1]; /* without blanks; "": too long to be demangled */
	size_t n_squeezed;
	char word[128]; /* what the mangled name has to hold; "": nothing known */
};

void match_init(struct match_query *query, const char *text);

/* How well a function's raw name fits. Names that do not fit cost little. */
enum match match_name(const struct match_query *query, const char *name);

/*
 * The same for a name as a trace shows it, demangled without parameters. Only what has "::" in it
 * can be the end of one: MATCH_PART.
 */
enum match match_shown(const struct match_query *query, const char *name);

#endif
