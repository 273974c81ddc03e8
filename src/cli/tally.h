/* SPDX-License-Identifier: MIT */
/* tally: how often each decode error occurred. */
#ifndef MT_CLI_TALLY_H
#define MT_CLI_TALLY_H

#include "base/intern.h"

#include <stddef.h>
#include <stdint.h>

/* Distinct messages that are told apart; perf has about 15, hostile text any number. */
#define TALLY_MAX 32

struct tally_item {
	uint32_t message; /* interned; INTERN_NONE: all those that found no room */
	uint64_t count;
};

/* A record at zero bytes is an empty tally. */
struct tally {
	struct tally_item items[TALLY_MAX + 1];
	size_t n;
	uint64_t total;
};

/* Counts one. */
void tally_add(struct tally *tally, uint32_t message);

/* Puts the most frequent one first; equal ones stay in the order of their coming. */
void tally_sort(struct tally *tally);

#endif
