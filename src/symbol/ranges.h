/* SPDX-License-Identifier: MIT */
/* ranges: stretches of addresses, of which the innermost counts where they overlap. */
#ifndef MT_SYMBOL_RANGES_H
#define MT_SYMBOL_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* [start, end) belongs to `owner`, a number that means something to the caller. */
struct range {
	uint64_t start, end, owner;
};

/* Begin with all zero. */
struct ranges {
	struct range *all; /* owned */
	size_t n, cap;
};

/* Adds one; an empty one, or one that ends before it begins, is left out. */
void ranges_add(struct ranges *ranges, uint64_t start, uint64_t end, uint64_t owner);

/*
 * Sorts them, and cuts them where they overlap, so that each address is in one at most: in that
 * which begins last of those it was in; of those that begin together the shortest, and of equal
 * ones that with the greatest owner.
 */
void ranges_settle(struct ranges *ranges);

/*
 * The same, but each address is then in the one with the greatest owner of those it was in: when
 * they are numbered as they came, the newest one hides the others. No two have one owner.
 */
void ranges_settle_newest(struct ranges *ranges);

/* The range that holds an address, when they are settled; NULL: none does. */
const struct range *ranges_find(const struct ranges *ranges, uint64_t address);

void ranges_fini(struct ranges *ranges);

#endif
