/* SPDX-License-Identifier: MIT */
#include "base/human.h"

#include <inttypes.h>
#include <stdio.h>

struct human human_count(uint64_t n)
{
	struct human h = { "" };
	char digits[24];
	size_t len, out = 0;

	len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			h.s[out++] = ',';
		h.s[out++] = digits[i];
	}
	return h;
}

/* n in units, rounded down, with `places` digits behind the point. */
static struct human scaled(uint64_t n, uint64_t unit, int places, const char *name)
{
	uint64_t step = unit;
	struct human h;

	for (int i = 0; i < places; i++)
		step /= 10;
	snprintf(h.s, sizeof(h.s), "%" PRIu64 ".%0*" PRIu64 " %s", n / unit, places,
		 n % unit / step, name);
	return h;
}

struct human human_bytes(uint64_t n)
{
	struct human h;

	if (n >= 1000000000)
		return scaled(n, 1000000000, 1, "GB");
	if (n >= 1000000)
		return scaled(n, 1000000, 1, "MB");
	if (n >= 1000)
		return scaled(n, 1000, 1, "kB");
	snprintf(h.s, sizeof(h.s), "%" PRIu64 " byte%s", n, n == 1 ? "" : "s");
	return h;
}

struct human human_time(int64_t ns)
{
	uint64_t n = ns > 0 ? (uint64_t)ns : 0;
	struct human h;

	if (n >= 1000000000)
		return scaled(n, 1000000000, 3, "s");
	if (n >= 1000000)
		return scaled(n, 1000000, 3, "ms");
	if (n >= 1000)
		return scaled(n, 1000, 3, "us");
	snprintf(h.s, sizeof(h.s), "%" PRIu64 " ns", n);
	return h;
}
