/* SPDX-License-Identifier: MIT */
/* bench: what benchmarks share: files in memory, CPU time, a sink that only counts. */
#ifndef MT_SUPPORT_BENCH_H
#define MT_SUPPORT_BENCH_H

#include "base/input.h"
#include "base/span.h"
#include "base/xalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

/* The clock, in seconds. */
static inline double bench_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* A file's bytes, given out once, and `left` times more. */
struct bench_loop {
	char *p;
	size_t n, pos;
	uint64_t left;
};

/* For struct input. */
static inline ssize_t bench_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct bench_loop *l = ctx;
	size_t n;

	(void)err;
	if (l->pos == l->n && l->left) {
		l->left--;
		l->pos = 0;
	}
	n = l->n - l->pos < size ? l->n - l->pos : size;
	memcpy(buf, l->p + l->pos, n);
	l->pos += n;
	return (ssize_t)n;
}

/* Reads a file into l->p, for the caller to free; -1 when it cannot be read, or is empty. */
static inline int bench_load(const char *path, struct bench_loop *l)
{
	FILE *f = fopen(path, "r");
	size_t cap = 1 << 20, n;

	if (!f)
		return -1;
	l->p = xmalloc(cap);
	while ((n = fread(l->p + l->n, 1, cap - l->n, f)) > 0) {
		l->n += n;
		if (l->n == cap)
			l->p = xreallocarray(l->p, cap *= 2, 1);
	}
	fclose(f);
	return l->n ? 0 : -1;
}

static inline uint32_t bench_track(void *ctx, const struct track_key *key)
{
	(void)ctx;
	(void)key;
	return 0;
}

static inline void bench_span(void *ctx, const struct span *span)
{
	(void)span;
	++*(uint64_t *)ctx;
}

static inline void bench_hit(void *ctx, const struct hit_span *hit)
{
	(void)ctx;
	(void)hit;
}

/* Takes spans, and counts them. */
static inline struct span_sink bench_sink(uint64_t *spans)
{
	return (struct span_sink){
		.ctx = spans, .track = bench_track, .span = bench_span, .hit = bench_hit
	};
}

#endif
