/* SPDX-License-Identifier: MIT */
/*
 * place: "ADDR SYMBOL+0xOFFSET (DSO)", how perf prints an address.
 *
 * A symbol may hold anything: blanks, "=>", "+0x", brackets, nothing at all. So may a DSO's path.
 * What decides is the end: the DSO is the balanced pair of parentheses that reaches to the end of
 * the text, the offset stands before it, and the symbol is what lies between address and offset.
 */
#ifndef MT_PERF_PLACE_H
#define MT_PERF_PLACE_H

#include "base/intern.h"
#include "base/str.h"
#include "event/event.h"

#include <stdbool.h>

/* An offset from here on is garbage that perf computed from a wrong map or for a PLT stub. */
#define PLACE_MAX_OFFSET ((uint64_t)1 << 62)

/* How much a place may deviate. */
enum place_form {
	PLACE_STRICT, /* as above, or "ADDR [unknown] (DSO)" */
	PLACE_LOOSE,  /* also without the DSO, or with one whose parentheses do not balance; the
			 offset is then the last one */
};

/* Where names go, and the places met lately. */
struct places;

/* names is borrowed. Free with places_free. */
struct places *places_new(struct intern *names) __attribute__((returns_nonnull));
void places_free(struct places *p);

/* How many times an offset was garbage in a place that was not known. */
uint64_t places_bad_offsets(const struct places *p);

/*
 * Reads text, all of which must be one place, in any form (blanks at its end are passed over).
 * false when it is none. "[unknown]" is no symbol: sym is INTERN_NONE, as dso is when there is no
 * DSO. The frames that perf makes of inlined functions say "(inlined)" there, which is no DSO.
 */
bool places_read(struct places *p, struct str text, struct location *loc);

/* The same of one form, without looking at or keeping what was met lately. */
bool places_read_form(struct places *p, struct str text, enum place_form form,
		      struct location *loc);

/*
 * Whether text begins with a place met lately: its length and *loc, else 0. Such a place is strict
 * and holds no " => ".
 */
size_t places_known(const struct places *p, struct str text, struct location *loc);

/* To be told of each strict place that was not known, so that places_known may find it. */
void places_keep(struct places *p, struct str text, const struct location *loc);

/*
 * A place with, perhaps, the address of the data that was accessed before it: "[ADDR] ADDR SYM...".
 * Blanks in front are passed over.
 */
bool places_read_sampled(struct places *p, struct str text, struct location *loc);

/* Where the first " => " of s is, which may stand between two places; NULL: nowhere. */
const char *place_arrow(struct str s);

#endif
