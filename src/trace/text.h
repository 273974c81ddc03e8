/* SPDX-License-Identifier: MIT */
/* text: makes any bytes into text that a trace may hold. */
#ifndef MT_TRACE_TEXT_H
#define MT_TRACE_TEXT_H

#include "base/str.h"

#include <stddef.h>

/* What had to be changed, or'ed. */
enum text_flaw {
	TEXT_CUT = 1 << 0,      /* it was too long */
	TEXT_BAD_UTF8 = 1 << 1, /* bytes that are not UTF-8 were replaced */
};

/*
 * Copies `in` to out as valid UTF-8 of at most limit bytes (limit >= 3) and returns its length; no
 * NUL is written. A NUL ends the text. Bytes that are not UTF-8 become U+FFFD, one for each
 * longest run that could have begun a character (as the Unicode Standard recommends, section 3.9).
 * Characters that would
 * steer what shows them (utf8_steers) become their bytes as \xNN. What is longer than limit is cut
 * between two characters and ends in U+2026 ("…"). The flaws found are or'ed into *flaws.
 */
size_t text_clean(char *out, size_t limit, struct str in, unsigned *flaws);

#endif
