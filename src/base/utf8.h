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

#endif
