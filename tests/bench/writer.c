/* SPDX-License-Identifier: MIT */
/*
 * writer: what writing a trace costs: spans into records alone, and through each codec.
 *
 * usage: writer [EVENTS]
 *
 * The spans are calls and returns of 300 functions that call each other, 10 to 70 ns apart, on
 * four threads: a random walk over a fixed call graph, the same in each run.
 */
#include "base/intern.h"
#include "base/xalloc.h"
#include "support/bench.h"
#include "trace/codec.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define FUNCTIONS 300u
#define CALLEES   5u
#define THREADS   4u
#define DEPTH     60u
#define CHUNK     (256u << 10)
#define EVENTS    10000000u
#define PREPARED  16384u /* 1 MB of spans: they stay in the cache */

struct walk {
	struct intern *names;
	uint32_t name[FUNCTIONS];
	uint64_t addr[FUNCTIONS];
	uint32_t callee[FUNCTIONS][CALLEES];
	uint32_t stack[THREADS][DEPTH];
	uint32_t depth[THREADS];
	uint32_t track[THREADS];
	uint64_t random;
	int64_t time;
};

/* xorshift64* */
static uint32_t next_random(struct walk *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (uint32_t)((w->random * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

static void walk_init(struct walk *w)
{
	char name[64];
	uint32_t i, j;

	*w = (struct walk){ .names = intern_new(0), .random = 42 };
	for (i = 0; i < FUNCTIONS; i++) {
		int n = snprintf(name, sizeof(name), "module_%u::some_function_%u", i % 17, i);

		w->name[i] = intern_add(w->names, (struct str){ .p = name, .n = (size_t)n });
		w->addr[i] =
			UINT64_C(0x555555550000) + UINT64_C(16) * i * (1 + next_random(w) % 90);
		for (j = 0; j < CALLEES; j++)
			w->callee[i][j] = next_random(w) % FUNCTIONS;
	}
}

static void open_tracks(struct walk *w, struct span_sink *sink)
{
	uint32_t i;

	w->random = 43;
	w->time = 0;
	for (i = 0; i < THREADS; i++) {
		struct track_key key = { .pid = 1000, .tid = 1000 + (int32_t)i };

		w->track[i] = sink->track(sink->ctx, &key);
		w->depth[i] = 0;
	}
}

/* The next call or return. */
static void step(struct walk *w, struct span *s)
{
	uint32_t r = next_random(w), thread = (uint32_t)(w->time >> 20) % THREADS, f;
	uint32_t *depth = &w->depth[thread], *stack = w->stack[thread];
	bool call = *depth == 0 || (*depth < DEPTH && (r & 1));

	w->time += 10 + (r >> 1) % 60;
	if (call) {
		f = *depth ? w->callee[stack[*depth - 1]][(r >> 8) % CALLEES] : 0;
		stack[(*depth)++] = f;
	} else {
		f = stack[--*depth];
	}
	*s = (struct span){
		.time = w->time,
		.addr = w->addr[f],
		.start = w->addr[f],
		.track = w->track[thread],
		.name = w->name[f],
		.kind = call ? SPAN_BEGIN : SPAN_END,
	};
}

static void die(const struct err *err)
{
	fprintf(stderr, "writer: %s\n", err->msg);
	exit(1);
}

/* Source lines of so many functions in 8. */
static bool source(void *ctx, const struct source_place *place, struct source_line *out)
{
	*out = (struct source_line){ .file = STR("src/file.c"), .line = 17 };
	return !place->is_call && (int)((place->addr >> 4) % 8) < *(const int *)ctx;
}

/*
 * Spans that were made before go to a file that keeps nothing: what a record costs. lines: of how
 * many functions in 8 the source line is known; negative: none is asked for.
 */
static void write_records(struct walk *w, const char *path, uint64_t events, int lines)
{
	struct trace_options options = {
		.path = path, .names = w->names, .source = lines < 0 ? NULL : source, .ctx = &lines
	};
	struct span *spans = xcalloc(PREPARED, sizeof(*spans));
	struct err err = ERR_INIT;
	struct span_sink sink;
	struct trace *trace;
	double best = 1e9, total = 0, t;
	uint64_t i, round;

	if (trace_open(&options, &trace, &err) != 0)
		die(&err);
	sink = trace_sink(trace);
	open_tracks(w, &sink);
	for (i = 0; i < PREPARED; i++)
		step(w, &spans[i]);
	for (round = 0; round < events / PREPARED; round++) {
		t = bench_now(CLOCK_THREAD_CPUTIME_ID);
		for (i = 0; i < PREPARED; i++)
			sink.span(sink.ctx, &spans[i]);
		t = bench_now(CLOCK_THREAD_CPUTIME_ID) - t;
		best = t < best ? t : best;
		total += t;
	}
	if (trace_finish(trace, NULL, &err) != 0)
		die(&err);
	free(spans);
	if (lines < 0)
		printf("records    ");
	else
		printf("lines %d/8  ", lines);
	printf("%.1f ns/event (mean), %.1f (best of %" PRIu64 " rounds)\n",
	       total * 1e9 / (double)(round * PREPARED), best * 1e9 / PREPARED, round);
}

/* Writes the walk to path; how it went. */
static void write_trace(struct walk *w, const char *path, const char *label, uint64_t events)
{
	struct trace_options options = { .path = path, .names = w->names };
	double t = bench_now(CLOCK_MONOTONIC);
	struct trace_stats stats;
	struct err err = ERR_INIT;
	struct span_sink sink;
	struct trace *trace;
	struct span span;
	uint64_t i;

	if (trace_open(&options, &trace, &err) != 0)
		die(&err);
	sink = trace_sink(trace);
	open_tracks(w, &sink);
	for (i = 0; i < events; i++) {
		step(w, &span);
		sink.span(sink.ctx, &span);
	}
	if (trace_finish(trace, &stats, &err) != 0)
		die(&err);
	t = bench_now(CLOCK_MONOTONIC) - t;
	printf("%-10s %.1f MB of FXT in %.2f s with all threads: %.1f ns/event, %.1f MB file\n",
	       label, (double)stats.raw_bytes / 1e6, t, t * 1e9 / (double)events,
	       (double)stats.file_bytes / 1e6);
}

/* The codec alone, on the bytes of an FXT file. */
static void compress(const struct codec *codec, const char *in, const char *out)
{
	char *chunk = xmalloc(CHUNK);
	struct err err = ERR_INIT;
	struct file *file;
	uint64_t total = 0;
	double used = 0, t;
	int fd = open(in, O_RDONLY | O_CLOEXEC);
	void *state = codec->open();
	ssize_t n;

	if (fd < 0 || file_create(out, &file, &err) != 0)
		die(&err);
	while ((n = read(fd, chunk, CHUNK)) > 0) {
		t = bench_now(CLOCK_THREAD_CPUTIME_ID);
		if (codec->write(state, file, chunk, (size_t)n, &err) != 0)
			die(&err);
		used += bench_now(CLOCK_THREAD_CPUTIME_ID) - t;
		total += (uint64_t)n;
	}
	if (codec->finish(state, file, &err) != 0)
		die(&err);
	printf("%-10s %6.1f MB/s, ratio %.2f\n", codec->suffix, (double)total / used / 1e6,
	       (double)total / (double)file_bytes(file));
	codec->close(state);
	file_discard(file);
	close(fd);
	free(chunk);
}

static const char *const suffixes[] = { ".fxt", ".fxt.gz", ".fxt.zst" };

static void measure(struct walk *w, const char *dir, uint64_t events)
{
	char *null = xasprintf("%s/null.fxt", dir), *raw = xasprintf("%s/trace.fxt", dir);
	struct rusage usage;
	size_t i;

	if (symlink("/dev/null", null) != 0)
		perror("writer: symlink");
	write_records(w, null, events, -1);
	for (int lines = 0; lines <= 8; lines += 4)
		write_records(w, null, events, lines);
	for (i = 0; i < 3; i++) {
		char *path = xasprintf("%s/trace%s", dir, suffixes[i]);

		write_trace(w, path, suffixes[i], events);
		free(path);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("peak memory %.1f MB\n", (double)usage.ru_maxrss / 1024);
	for (i = 0; i < 3; i++) {
		char *path = xasprintf("%s/again%s", dir, suffixes[i]);

		compress(codec_for_path(path, NULL), raw, path);
		free(path);
	}
	free(null);
	free(raw);
}

static void clean_up(const char *dir)
{
	static const char *const names[] = { "null.fxt", "trace.fxt", "trace.fxt.gz",
					     "trace.fxt.zst" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : EVENTS;
	char dir[] = "/tmp/writer-bench-XXXXXX";
	struct walk *w = xmalloc(sizeof(*w));

	if (!mkdtemp(dir)) {
		perror("writer: a temporary directory");
		return 1;
	}
	walk_init(w);
	measure(w, dir, events < PREPARED ? PREPARED : events);
	clean_up(dir);
	intern_free(w->names);
	free(w);
	return 0;
}
