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

bool utf8_steers(struct str s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s.p;

	if (n == 1)
		return p[0] < 0x20 || p[0] == 0x7f;
	if (n == 2)
		return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c); /* U+061C */
	if (n != 3 || p[0] != 0xe2)
		return false;
	if (p[1] == 0x80) /* U+200E, U+200F; U+2028 to U+202E */
		return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
	return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9; /* U+2066 to U+2069 */
}

bool utf8_is_plain(struct str s)
{
	while (s.n) {
		bool bad;
		size_t n = utf8_length(s, &bad);

		if (bad || utf8_steers(s, n))
			return false;
		s = str_skip(s, n);
	}
	return true;
}

size_t utf8_escape(char *out, struct str s)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < s.n; i++) {
		*out++ = '\\';
		*out++ = 'x';
		*out++ = digits[(unsigned char)s.p[i] >> 4];
		*out++ = digits[(unsigned char)s.p[i] & 15];
	}
	return 4 * s.n;
}
