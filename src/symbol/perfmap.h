/* SPDX-License-Identifier: MIT */
/*
 * perfmap: the functions that a program has compiled while it ran, as it tells perf of them in
 * /tmp/perf-PID.map (the kernel's tools/perf/Documentation/jit-interface.txt): lines of "START SIZE
 * NAME", hex with or without 0x, NAME to the line's end.
 */
#ifndef MT_SYMBOL_PERFMAP_H
#define MT_SYMBOL_PERFMAP_H

#include "base/err.h"
#include "symbol/regular.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is beyond this many bytes of a file is left out, and what is beyond so many functions. */
#define PERFMAP_BYTES_MAX     ((size_t)256 << 20)
#define PERFMAP_FUNCTIONS_MAX ((size_t)4 << 20)

struct perfmap;

struct perfmap_function {
	const char *name; /* may be empty; as long as the map */
	uint64_t start;
};

/*
 * Reads a file; lines that are malformed are left out. 0 and *map, to be freed with perfmap_free;
 * or -1 with err: it cannot be read, is no regular file, or not to be believed (regular_trusted).
 */
int perfmap_read(const char *path, const struct regular_trust *trust, struct perfmap **map,
		 struct err *err);
/* The same of n bytes of text, with a NUL behind them, which are the map's from here on. */
struct perfmap *perfmap_of_text(char *text, size_t n) __attribute__((returns_nonnull));
void perfmap_free(struct perfmap *map);

/* Whether there were more functions than PERFMAP_FUNCTIONS_MAX. */
bool perfmap_is_cut(const struct perfmap *map);

/* The function of the code at an address, [START, START + SIZE): of several the last line's. */
bool perfmap_find(const struct perfmap *map, uint64_t address, struct perfmap_function *function);

#endif
