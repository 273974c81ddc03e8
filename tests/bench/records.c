/* SPDX-License-Identifier: MIT */
/*
 * records FILE COOKIE [ROUNDS]: what the stages behind perf cost, from records in memory to FXT in
 * memory: FILE is what perf writes with our filter, which was given COOKIE (a number). Each stage
 * is measured with those before it, by this thread's CPU time: reading; and stacks; and the writer.
 * By the rules of the default, and by those of the OCaml magic-trace; without symbols, so that
 * nothing is known of inlined functions and lines.
 */
#include "base/intern.h"
#include "base/spool.h"
#include "base/xalloc.h"
#include "perf/text.h"
#include "stack/stacks.h"
#include "support/bench.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS     9u
#define ROUNDS_MAX 99u

enum stage { READING, STACKS, WRITER, STAGES };

struct run {
	struct intern *names;
	struct perf_text *text;
	struct spool_pool *pool;
	struct trace *trace;
	struct stacks *stacks;
	uint64_t events, spans;
	double seconds;
};

static void die(const struct err *err)
{
	fprintf(stderr, "records: %s\n", err->msg);
	exit(1);
}

static void open_stages(struct run *r, enum stage last, bool reference)
{
	struct trace_options options = { .path = "/dev/null" };
	struct stacks_config config = {
		.scope = SCOPE_USER,
		.sink = bench_sink(&r->spans),
		.max_depth = 500,
		.reference = reference,
		.reference_times = reference,
	};
	struct err err = ERR_INIT;

	r->names = intern_new(0);
	r->text = perf_text_new(PERF_PT, r->names, NULL, NULL);
	r->pool = spool_pool_new(16u << 20);
	options.names = config.names = r->names;
	config.pool = r->pool;
	if (last == WRITER) {
		if (trace_open(&options, &r->trace, &err) < 0)
			die(&err);
		config.sink = trace_sink(r->trace);
	}
	if (last >= STACKS)
		r->stacks = stacks_new(&config);
}

static void close_stages(struct run *r)
{
	struct trace_stats stats;
	struct err err = ERR_INIT;

	if (r->stacks)
		stacks_free(r->stacks);
	if (r->trace && trace_finish(r->trace, &stats, &err) < 0)
		die(&err);
	if (r->trace)
		r->spans = stats.spans;
	perf_text_free(r->text);
	spool_pool_free(r->pool);
	intern_free(r->names);
}

/* All records through the stages up to `last`. */
static struct run measure(struct bench_loop *b, uint64_t cookie, enum stage last, bool reference)
{
	struct run r = { .events = 0 };
	struct err err = ERR_INIT;
	struct event ev;

	open_stages(&r, last, reference);
	b->pos = 0;
	perf_text_input(r.text, (struct input){ .ctx = b, .read = bench_read });
	perf_text_records(r.text, cookie);
	r.seconds = bench_now(CLOCK_THREAD_CPUTIME_ID);
	while (perf_text_next(r.text, &ev, &err) == 1) {
		r.events++;
		if (r.stacks)
			stacks_feed(r.stacks, &ev);
	}
	if (r.stacks)
		stacks_finish(r.stacks);
	r.seconds = bench_now(CLOCK_THREAD_CPUTIME_ID) - r.seconds;
	close_stages(&r);
	return r;
}

static int by_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All stages, round after round. */
static void measure_rules(struct bench_loop *b, uint64_t cookie, unsigned rounds, bool reference)
{
	double seconds[STAGES][ROUNDS_MAX], ns[STAGES];
	struct run r = { .events = 0 };

	for (unsigned i = 0; i < rounds; i++) {
		for (enum stage stage = READING; stage < STAGES; stage++) {
			r = measure(b, cookie, stage, reference);
			seconds[stage][i] = r.seconds;
		}
	}
	for (enum stage stage = READING; stage < STAGES; stage++) {
		qsort(seconds[stage], rounds, sizeof(double), by_seconds);
		ns[stage] = seconds[stage][rounds / 2] * 1e9 / (double)r.events;
	}
	printf("%-9s  %.2f M events, %.2f M spans: %.1f M events/s in all; ns an event: reading %.1f, stacks %.1f, writer %.1f; stacks and writer %.1f M events/s\n",
	       reference ? "reference" : "default", (double)r.events / 1e6, (double)r.spans / 1e6,
	       1e3 / ns[WRITER], ns[READING], ns[STACKS] - ns[READING], ns[WRITER] - ns[STACKS],
	       1e3 / (ns[WRITER] - ns[READING]));
}

int main(int argc, char **argv)
{
	struct bench_loop b = { .n = 0 };
	uint64_t rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : ROUNDS;

	if (argc < 3 || rounds < 1 || rounds > ROUNDS_MAX || bench_load(argv[1], &b)) {
		fprintf(stderr, "usage: records FILE COOKIE [ROUNDS]\n");
		return 2;
	}
	measure_rules(&b, strtoull(argv[2], NULL, 0), (unsigned)rounds, false);
	measure_rules(&b, strtoull(argv[2], NULL, 0), (unsigned)rounds, true);
	free(b.p);
	return 0;
}
