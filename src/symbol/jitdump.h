/* SPDX-License-Identifier: MIT */
/*
 * jitdump: the functions that a program has compiled while it ran, as it tells perf of them with
 * their code in jit-PID.dump (the kernel's tools/perf/Documentation/jitdump-specification.txt).
 */
#ifndef MT_SYMBOL_JITDUMP_H
#define MT_SYMBOL_JITDUMP_H

#include "base/err.h"
#include "base/str.h"
#include "symbol/perfmap.h"

#include <stdbool.h>

/* Whether a path is one of which a mapping says that a program writes such a file. */
bool jitdump_is(struct str path);

/*
 * Reads a file into *map, to be freed with perfmap_free: of functions at one address the last one
 * counts, code that was moved is at both. What is damaged, and what is beyond PERFMAP_BYTES_MAX, is
 * left out with all behind it. 0; or -1 with err: it cannot be read, is no such file, of another
 * byte order, or not to be believed (regular_trusted).
 */
int jitdump_read(const char *path, const struct regular_trust *trust, struct perfmap **map,
		 struct err *err);

#endif
