/* SPDX-License-Identifier: MIT */
#include "base/place.h"

/* Lower case hex without leading zeros; returns how many digits (1 to 16). */
static size_t put_hex(char *buf, uint64_t value)
{
	size_t digits = value ? (67 - (size_t)__builtin_clzll(value)) / 4 : 1, i;

	for (i = digits; i-- > 0; value >>= 4)
		buf[i] = "0123456789abcdef"[value & 15];
	return digits;
}

size_t place_name(char *buf, size_t size, uint64_t addr, struct str dso)
{
	static const char head[] = "[unknown @ 0x", plain[] = "[unknown]";
	size_t room = size - PLACE_NAME_EXTRA, n;

	if (dso.n == 0) {
		memcpy(buf, plain, sizeof(plain) - 1);
		return sizeof(plain) - 1;
	}
	memcpy(buf, head, sizeof(head) - 1);
	n = sizeof(head) - 1;
	n += put_hex(buf + n, addr);
	buf[n++] = ' ';
	buf[n++] = '(';
	if (dso.n > room)
		dso.n = room;
	memcpy(buf + n, dso.p, dso.n);
	n += dso.n;
	buf[n++] = ')';
	buf[n++] = ']';
	return n;
}
