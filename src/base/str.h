/* SPDX-License-Identifier: MIT */
/* str: borrowed bytes with a length. Text from outside is never assumed to end in a NUL. */
#ifndef MT_BASE_STR_H
#define MT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* n bytes at p, owned by somebody else. p may be NULL only when n is 0. */
struct str {
	const char *p;
	size_t n;
};

/* A view of a string literal. */
#define STR(lit) ((struct str){ .p = (lit), .n = sizeof(lit) - 1 })

/* A view of a C string (without its NUL). */
static inline struct str str_of(const char *s)
{
	return (struct str){ .p = s, .n = strlen(s) };
}

/* Whether both hold the same bytes. */
static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Whether s begins with prefix. */
static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

/* s without its first n bytes (all of them when it is shorter). */
static inline struct str str_skip(struct str s, size_t n)
{
	if (n > s.n)
		n = s.n;
	return (struct str){ .p = s.p + n, .n = s.n - n };
}

#endif
