/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#define N NUM_NOT_HEX
#define U NUM_UPPER

/* clang-format off */
const uint8_t num_hex_digits[256] = {
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, N, N, N, N, N, N,
	N, U | 10, U | 11, U | 12, U | 13, U | 14, U | 15, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, 10, 11, 12, 13, 14, 15, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
	N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N,
};
/* clang-format on */

bool num_hex(struct str *s, uint64_t *v)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < s->n; i++) {
		uint8_t d = num_hex_digits[(unsigned char)s->p[i]] & ~NUM_UPPER;

		if (d > 0xf)
			break;
		if (n >> 60)
			return false;
		n = n << 4 | d;
	}
	if (i == 0)
		return false;
	*s = str_skip(*s, i);
	*v = n;
	return true;
}
