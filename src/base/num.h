/* SPDX-License-Identifier: MIT */
/* num: numbers out of text that does not end in a NUL, never past its end, never overflowing. */
#ifndef MT_BASE_NUM_H
#define MT_BASE_NUM_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define NUM_UPPER   0x40 /* or'ed to the value of an upper-case digit */
#define NUM_NOT_HEX 0xff

/* What a byte is worth as a hex digit; see above. */
extern const uint8_t num_hex_digits[256];

/*
 * The three readers below take the digits at the beginning of *s off it and put their value into
 * *v. false, with *s and *v as they were, when there is no digit or the value needs more than 64
 * bits. They are inline because perf's text is little else than numbers.
 */

/* Decimal digits, without a sign. */
static inline bool num_dec(struct str *s, uint64_t *v)
{
	size_t safe = s->n < 19 ? s->n : 19, i; /* 19 digits always fit */
	uint64_t n = 0;
	unsigned int d = 0;

	for (i = 0; i < safe; i++) {
		d = (unsigned int)(unsigned char)s->p[i] - '0';
		if (d > 9)
			break;
		n = n * 10 + d;
	}
	for (; d <= 9 && i < s->n; i++) {
		d = (unsigned int)(unsigned char)s->p[i] - '0';
		if (d > 9)
			break;
		if (__builtin_mul_overflow(n, 10u, &n) || __builtin_add_overflow(n, d, &n))
			return false;
	}
	if (i == 0)
		return false;
	*s = (struct str){ .p = s->p + i, .n = s->n - i };
	*v = n;
	return true;
}

/* What the two below share: digits of which the table's value, without the bits of ignore, is one.
 */
static inline bool num_hex_ignoring(struct str *s, uint64_t *v, uint8_t ignore)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		uint8_t d = num_hex_digits[(unsigned char)s->p[i]] & (uint8_t)~ignore;

		if (d > 0xf)
			break;
		if (n >> 60)
			return false;
		n = n << 4 | d;
	}
	if (i == 0)
		return false;
	*s = (struct str){ .p = s->p + i, .n = s->n - i };
	*v = n;
	return true;
}

/* Hex digits in lower case only, as the kernel and perf print addresses; no "0x". */
static inline bool num_hex_lower(struct str *s, uint64_t *v)
{
	return num_hex_ignoring(s, v, 0);
}

/* Hex digits in either case; no "0x". */
static inline bool num_hex(struct str *s, uint64_t *v)
{
	return num_hex_ignoring(s, v, NUM_UPPER);
}

#endif
