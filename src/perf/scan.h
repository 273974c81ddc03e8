/* SPDX-License-Identifier: MIT */
/*
 * scan: the small parts that perf's lines are made of. Each reader takes its part off the front of
 * *s; one that returns a bool leaves *s alone when the part is not there.
 */
#ifndef MT_PERF_SCAN_H
#define MT_PERF_SCAN_H

#include "base/num.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool scan_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Takes blanks off; how many. perf pads its columns with runs of spaces, so eight at a time. */
static inline size_t scan_blanks(struct str *s)
{
	static const char spaces[8] = "        ";
	uint64_t v, eight;
	size_t i = 0;

	memcpy(&eight, spaces, 8);
	for (v = 0; s->n - i >= 8; i += 8) {
		memcpy(&v, s->p + i, 8);
		v ^= eight;
		if (v)
			break;
	}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (v)
		i += (size_t)__builtin_ctzll(v) / 8;
#endif
	while (i < s->n && scan_is_blank(s->p[i]))
		i++;
	*s = (struct str){ .p = s->p + i, .n = s->n - i };
	return i;
}

/* Takes `word` off when *s begins with it, whatever follows. */
static inline bool scan_word(struct str *s, struct str word)
{
	if (!str_starts(*s, word))
		return false;
	*s = str_skip(*s, word.n);
	return true;
}

/* s without the blanks at its end. */
struct str scan_trim_end(struct str s);

/*
 * A process or thread id, of 31 bits. perf prints 0 or -1 when it does not know it: *id is then 0.
 */
static inline bool scan_id(struct str *s, int32_t *id)
{
	bool minus = s->n && *s->p == '-';
	struct str rest = str_skip(*s, minus);
	uint64_t n;

	if (!num_dec(&rest, &n) || n > INT32_MAX)
		return false;
	*s = rest;
	*id = minus ? 0 : (int32_t)n;
	return true;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Eight decimal digits at p at once, when that is what is there. */
static inline bool scan_eight_digits(const char *p, uint64_t *v)
{
	uint64_t d;

	memcpy(&d, p, 8);
	/* '0' to '9' are 0x30 to 0x39: the high halves are 3, and stay it when 6 is added */
	if ((d & (d + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) != 0x3030303030303030u ||
	    ((d | (d + 0x0606060606060606u)) & 0xf0f0f0f0f0f0f0f0u) != 0x3030303030303030u)
		return false;
	/* pairs, fours, eight: in each step a digit's worth of the lower address is greater */
	d = (d & 0x0f0f0f0f0f0f0f0fu) * (10 << 8 | 1) >> 8;
	d = (d & 0x00ff00ff00ff00ffu) * (100 << 16 | 1) >> 16;
	*v = (d & 0x0000ffff0000ffffu) * (10000ull << 32 | 1) >> 32;
	return true;
}
#else
static inline bool scan_eight_digits(const char *p, uint64_t *v)
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++) {
		if (p[i] < '0' || p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(p[i] - '0');
	}
	*v = n;
	return true;
}
#endif

#define SCAN_NS_PER_S 1000000000

/* "SECONDS.", as ns. */
static inline bool scan_seconds(struct str *s, int64_t *ns)
{
	struct str rest = *s;
	uint64_t seconds;

	if (!num_dec(&rest, &seconds) || seconds >= INT64_MAX / SCAN_NS_PER_S ||
	    !scan_word(&rest, STR(".")))
		return false;
	*s = rest;
	*ns = (int64_t)seconds * SCAN_NS_PER_S;
	return true;
}

/* The fraction of a second, added to *ns: any number of digits, the first nine of which count. */
static inline bool scan_fraction(struct str *s, int64_t *ns)
{
	const size_t digits = 9;
	uint64_t fraction = 0;
	size_t i = 0, n;

	if (s->n > 8 && scan_eight_digits(s->p, &fraction))
		i = 8;
	for (; i < s->n && i < digits && s->p[i] >= '0' && s->p[i] <= '9'; i++)
		fraction = fraction * 10 + (uint64_t)(s->p[i] - '0');
	if (i == 0)
		return false;
	for (n = i; n < digits; n++)
		fraction *= 10;
	if (i == digits)
		while (i < s->n && s->p[i] >= '0' && s->p[i] <= '9')
			i++;
	*s = str_skip(*s, i);
	*ns += (int64_t)fraction;
	return true;
}

/* SECONDS.FRACTION in ns. */
static inline bool scan_time(struct str *s, int64_t *ns)
{
	struct str rest = *s;
	int64_t t;

	if (!scan_seconds(&rest, &t) || !scan_fraction(&rest, &t))
		return false;
	*s = rest;
	*ns = t;
	return true;
}

#endif
