/* SPDX-License-Identifier: MIT */
#include "trace/text.h"

#include <stdbool.h>

#define MARK 3u                                                   /* bytes of each of these two */
static const char replacement[MARK] = { '\xef', '\xbf', '\xbd' }; /* U+FFFD */
static const char ellipsis[MARK] = { '\xe2', '\x80', '\xa6' };    /* U+2026 */

/*
 * The bytes of the character at p (1 to 4), or, with *bad set, of the longest part of one. The
 * second byte's range is narrower behind some first bytes: no overlong forms, no surrogates,
 * nothing above U+10FFFF (The Unicode Standard, table 3-7).
 */
static size_t char_length(const unsigned char *p, size_t n, bool *bad)
{
	unsigned char c = p[0], low = 0x80, high = 0xbf;
	size_t more, i;

	*bad = false;
	if (c < 0x80)
		return 1;
	more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (c < 0xc2 || c > 0xf4)
		more = 0;
	else if (c == 0xe0)
		low = 0xa0;
	else if (c == 0xed)
		high = 0x9f;
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f;
	for (i = 1; i <= more; i++) {
		if (i >= n || p[i] < low || p[i] > high)
			break;
		low = 0x80;
		high = 0xbf;
	}
	*bad = more == 0 || i <= more;
	return i;
}

size_t text_clean(char *out, size_t limit, struct str in, unsigned *flaws)
{
	size_t n = 0, keep = 0; /* keep: where the text may be cut for the ellipsis */

	while (in.n && *in.p) {
		bool bad;
		size_t used = char_length((const unsigned char *)in.p, in.n, &bad);
		size_t size = bad ? MARK : used;

		if (n + size > limit) {
			memcpy(out + keep, ellipsis, MARK);
			*flaws |= TEXT_CUT;
			return keep + MARK;
		}
		memcpy(out + n, bad ? replacement : in.p, size);
		if (bad)
			*flaws |= TEXT_BAD_UTF8;
		n += size;
		if (n + MARK <= limit)
			keep = n;
		in = str_skip(in, used);
	}
	return n;
}
