/* SPDX-License-Identifier: MIT */
#include "perf/branch.h"

#include "base/num.h"
#include "perf/flags.h"
#include "perf/scan.h"

#include <string.h>

#define ARROW STR(" => ")
/* A line made to hold many thousands of them is not to take seconds. */
#define MAX_ARROWS 16

/*
 * "\t IPC: 1.20 (12/10)": what perf puts behind a branch when its field list has ipc. Cut off, with
 * the blanks around it.
 */
static struct str cut_ipc(struct str s)
{
	struct str rest;
	const char *tab;
	uint64_t n;

	s = scan_trim_end(s);
	tab = s.n ? memrchr(s.p, '\t', s.n) : NULL;
	if (!tab)
		return s;
	rest = str_skip(s, (size_t)(tab - s.p));
	if (scan_blanks(&rest) && scan_word(&rest, STR("IPC:")) && scan_blanks(&rest) &&
	    num_dec(&rest, &n) && scan_word(&rest, STR(".")) && num_dec(&rest, &n) &&
	    scan_word(&rest, STR(" (")) && num_dec(&rest, &n) && scan_word(&rest, STR("/")) &&
	    num_dec(&rest, &n) && str_eq(rest, STR(")")))
		s.n = (size_t)(tab - s.p);
	return scan_trim_end(s);
}

static bool read_address(struct str s, struct location *loc)
{
	*loc = (struct location){ .sym = INTERN_NONE, .dso = INTERN_NONE };
	return num_hex_lower(&s, &loc->addr) && s.n == 0;
}

static bool read_destination(struct places *places, struct str s, enum place_form form,
			     struct location *loc)
{
	if (places_read_form(places, s, form, loc))
		return true;
	return form == PLACE_LOOSE && read_address(s, loc);
}

/* Tries each arrow of the text with places of one form. */
static bool split(struct places *places, struct str text, enum place_form form, struct event *ev)
{
	struct str right = text;

	for (int tried = 0; tried < MAX_ARROWS; tried++) {
		const char *arrow = place_arrow(right);
		struct str left, dst;

		if (!arrow)
			return false;
		/* not past all of the arrow: the next may share its last blank */
		right = str_skip(right, (size_t)(arrow - right.p) + ARROW.n - 1);
		left = scan_trim_end((struct str){ .p = text.p, .n = (size_t)(arrow - text.p) });
		dst = right;
		scan_blanks(&dst);
		/* the source last, since it is the one that is well formed by chance more often */
		if (!read_destination(places, dst, form, &ev->branch.dst) ||
		    !places_read_form(places, left, form, &ev->branch.src))
			continue;
		if (form == PLACE_STRICT) {
			places_keep(places, left, &ev->branch.src);
			places_keep(places, dst, &ev->branch.dst);
		}
		return true;
	}
	return false;
}

/*
 * A source met lately, the arrow, and a strict destination: the general rule says the same, since
 * there is no arrow in such a source.
 */
static bool read_known(struct places *places, struct str text, struct event *ev)
{
	size_t n = places_known(places, text, &ev->branch.src);

	if (n == 0)
		return false;
	text = str_skip(text, n);
	if (!scan_word(&text, ARROW))
		return false;
	scan_blanks(&text);
	if (text.n && places_known(places, text, &ev->branch.dst) == text.n)
		return true;
	if (!places_read_form(places, text, PLACE_STRICT, &ev->branch.dst))
		return false;
	places_keep(places, text, &ev->branch.dst);
	return true;
}

bool branch_read(struct places *places, struct str text, struct event *ev)
{
	struct flags flags;

	if (!flags_read(&text, &flags))
		return false;
	ev->kind = EVENT_BRANCH;
	ev->in_tx = flags.in_tx;
	ev->branch.kind = flags.kind;
	ev->branch.state = flags.state;
	if (read_known(places, text, ev))
		return true;
	text = cut_ipc(text);
	return split(places, text, PLACE_STRICT, ev) || split(places, text, PLACE_LOOSE, ev);
}
