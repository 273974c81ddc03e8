/* SPDX-License-Identifier: MIT */
/* worth: which of several names of one function is shown. */
#ifndef MT_SYMBOL_WORTH_H
#define MT_SYMBOL_WORTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * How perf chooses (tools/perf/util/symbol.c, choose_best_symbol()): these count first, the
 * greatest most; worth_of_name() leaves their bits free.
 */
enum worth {
	WORTH_GLOBAL = 1 << 20,
	WORTH_STRONG = 1 << 21,
	WORTH_CURRENT = 1 << 22, /* not of an old version */
	WORTH_SIZED = 1 << 23,
};

/* Fewer underscores in front are better, then longer names; n: the bytes of the name. */
uint32_t worth_of_name(const char *name, size_t n);

#endif
