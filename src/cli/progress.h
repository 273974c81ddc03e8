/* SPDX-License-Identifier: MIT */
/* progress: the status line while decoding, on a terminal. */
#ifndef MT_CLI_PROGRESS_H
#define MT_CLI_PROGRESS_H

#include "cli/console.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	struct console *console;
	int64_t start; /* CLOCK_MONOTONIC, ns */
	int64_t drawn; /* when it was drawn last */
	int64_t asked; /* when progress_asks was true last */
};

/* What is shown. */
struct progress_counts {
	size_t file, n_files; /* file: from 1 */
	uint64_t read,
		data;   /* bytes that perf has read of all data files, and has to; 0: not known */
	uint64_t bytes; /* of perf's text */
	uint64_t events;
	uint64_t spans;
};

void progress_start(struct progress *progress, struct console *console);

/*
 * Whether it is time to find out what costs more than a look at a counter: on a terminal, once a
 * second.
 */
bool progress_asks(struct progress *progress);

/*
 * Draws the line when a fifth of a second has passed since it was drawn last. It looks at the
 * clock, so it is called every few thousand events only.
 */
void progress_show(struct progress *progress, const struct progress_counts *counts);

/* The line after `seconds`, with a NUL, in buf of size bytes. */
void progress_text(char *buf, size_t size, const struct progress_counts *counts, int64_t seconds);

#endif
