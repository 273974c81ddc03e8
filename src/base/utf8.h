/* SPDX-License-Identifier: MIT */
/* utf8: where characters end, in text that may not be UTF-8 at all. */
#ifndef MT_BASE_UTF8_H
#define MT_BASE_UTF8_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The bytes of the character at the front of s (1 to 4), or, with *bad set, of the longest part of
 * one, at least 1. s is not empty.
 */
size_t utf8_length(struct str s, bool *bad);

/*
 * Whether the character at the front of s, of n bytes as utf8_length says, steers what shows it: a
 * control character (U+0000 to U+001F, U+007F to U+009F), a separator of lines or paragraphs, or
 * one that changes the direction of what follows (the Unicode Bidirectional Algorithm, UAX #9,
 * table 4).
 */
bool utf8_steers(struct str s, size_t n);

/* Whether all of s is UTF-8, and nothing in it steers. */
bool utf8_is_plain(struct str s);

/* Writes each byte of s as \xNN to out, without a NUL: 4 * s.n bytes, which it returns. */
size_t utf8_escape(char *out, struct str s);

#endif
