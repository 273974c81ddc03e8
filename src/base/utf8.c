/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

/*
 * The second byte's range is narrower behind some first bytes: no overlong forms, no surrogates,
 * nothing above U+10FFFF (The Unicode Standard, table 3-7).
 */
size_t utf8_length(struct str s, bool *bad)
{
	const unsigned char *p = (const unsigned char *)s.p;
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
		if (i >= s.n || p[i] < low || p[i] > high)
			break;
		low = 0x80;
		high = 0xbf;
	}
	*bad = more == 0 || i <= more;
	return i;
}
