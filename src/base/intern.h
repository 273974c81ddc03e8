/* SPDX-License-Identifier: MIT */
/*
 * intern: each distinct string once, known by a number from then on.
 *
 * perf prints the same few thousand symbols and DSOs millions of times. They are looked up by
 * their bytes when a line is read, and by number everywhere behind that.
 */
#ifndef MT_BASE_INTERN_H
#define MT_BASE_INTERN_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* Never a string's number: stands for "none". */
#define INTERN_NONE 0u

struct intern;

/*
 * An empty table. max_bytes bounds the memory for the strings' bytes (0: no bound): what comes
 * after the bound is reached is all the one string "[too many names]". Free with intern_free.
 */
struct intern *intern_new(size_t max_bytes) __attribute__((returns_nonnull));
void intern_free(struct intern *in);

/*
 * The number of s, the same for the same bytes, never INTERN_NONE; the bytes are copied the first
 * time. The empty string has a number too. Numbers count up from 1 without gaps.
 */
uint32_t intern_add(struct intern *in, struct str s);

/* The bytes of a number that intern_add gave, with a NUL behind them; they live as long as in. */
struct str intern_str(const struct intern *in, uint32_t id);

/* How many strings there are: the greatest number given. */
uint32_t intern_count(const struct intern *in);

/* How many times a string was refused because of max_bytes. */
uint64_t intern_refused(const struct intern *in);

#endif
