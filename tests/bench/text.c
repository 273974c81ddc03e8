/* SPDX-License-Identifier: MIT */
/*
 * text FILE [MEGABYTES [COOKIE]]: how fast what perf prints is read, one core. FILE is taken into
 * memory and read over and over as one long text, at least MEGABYTES (default 1000) of it. With a
 * COOKIE (a number) it has the records of our filter, which was given that one.
 */
#include "perf/text.h"
#include "base/intern.h"
#include "base/xalloc.h"
#include "support/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads the loop `times` over; the events. */
static uint64_t run(struct perf_text *text, struct bench_loop *l, uint64_t times,
		    const char *cookie)
{
	struct event ev;
	struct err err;
	uint64_t n = 0;

	l->left = times;
	l->pos = l->n;
	perf_text_input(text, (struct input){ .ctx = l, .read = bench_read });
	if (cookie)
		perf_text_records(text, strtoull(cookie, NULL, 0));
	while (perf_text_next(text, &ev, &err) == 1)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	uint64_t megabytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
	const char *cookie = argc > 3 ? argv[3] : NULL;
	const struct perf_text_stats *stats;
	struct intern *names = intern_new(0);
	struct perf_text *text = perf_text_new(PERF_PT, names, NULL, NULL);
	struct bench_loop l = { 0 };
	uint64_t lines, events, bytes;
	size_t allocs;
	double start, seconds;

	if (argc < 2 || bench_load(argv[1], &l)) {
		fprintf(stderr, "usage: text FILE [MEGABYTES [COOKIE]]\n");
		return 2;
	}
	/* the first round fills tables and caches */
	run(text, &l, 1, cookie);
	stats = perf_text_stats(text);
	lines = stats->lines;
	bytes = stats->bytes;
	allocs = xalloc_count();
	start = bench_now(CLOCK_PROCESS_CPUTIME_ID);
	events = run(text, &l, megabytes * 1000000 / l.n + 1, cookie);
	seconds = bench_now(CLOCK_PROCESS_CPUTIME_ID) - start;
	stats = perf_text_stats(text);
	lines = stats->lines - lines;
	bytes = stats->bytes - bytes;
	printf("%s: %.2f M lines/s, %.2f M events/s, %.2f GB/s, %.0f ns and %.4f allocations a line, %.0f bytes a line, %" PRIu64
	       " lines lost\n",
	       argv[1], (double)lines / seconds / 1e6, (double)events / seconds / 1e6,
	       (double)bytes / seconds / 1e9, seconds / (double)lines * 1e9,
	       (double)(xalloc_count() - allocs) / (double)lines, (double)bytes / (double)lines,
	       stats->lost);
	free(l.p);
	perf_text_free(text);
	intern_free(names);
	return 0;
}
