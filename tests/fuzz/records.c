/* SPDX-License-Identifier: MIT */
/*
 * records [CASES [SEED]]: reads mangled streams of records and text and checks what holds for any
 * stream: every field is within its bounds, every name is one of the table, and the sizes of the
 * reads change nothing. Aborts when something does not hold.
 */
#include "base/hash.h"
#include "base/intern.h"
#include "dlfilter/wire.h"
#include "perf/text.h"
#include "support/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COOKIE 0x0a0b0c0d0e0f1011u

/* Gives out a stream in pieces of random sizes, or whole. */
struct source {
	const char *p;
	size_t n;
	uint64_t random; /* 0: as much as is asked for */
};

static ssize_t source_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct source *s = ctx;
	size_t n = s->n < size ? s->n : size;

	(void)err;
	if (s->random && n)
		n = 1 + below(&s->random, n < 60 ? n : 60);
	memcpy(buf, s->p, n);
	s->p += n;
	s->n -= n;
	return (ssize_t)n;
}

static void check_place(const struct intern *names, const struct location *loc)
{
	MUST(loc->sym <= intern_count(names) && loc->dso <= intern_count(names));
	MUST(loc->off < WIRE_MAX_OFFSET);
}

static uint64_t check_event(const struct intern *names, const struct event *ev, uint64_t h)
{
	MUST(ev->pid >= 0 && ev->tid >= 0 && ev->region == 0);
	MUST(ev->time >= 0 && (ev->has_time || ev->kind == EVENT_ERROR));
	h = hash_mix(h ^ (uint64_t)ev->time, (uint64_t)ev->tid << 32 | (uint64_t)ev->kind | 1 << 9);
	if (ev->kind != EVENT_BRANCH)
		return h;
	MUST((unsigned int)ev->branch.kind < BRANCH_KINDS);
	MUST((unsigned int)ev->branch.state <= TRACE_END);
	check_place(names, &ev->branch.src);
	check_place(names, &ev->branch.dst);
	h = hash_mix(h ^ ev->branch.src.addr, ev->branch.dst.addr | 1);
	return hash_mix(h ^ ev->branch.src.sym, ev->branch.dst.off | 1);
}

/* A hash of all events of a stream. */
static uint64_t read_stream(struct source source)
{
	struct intern *names = intern_new(1 << 20);
	struct perf_text *text = perf_text_new(PERF_PT, names, NULL, NULL);
	struct event ev;
	struct err err;
	size_t n = source.n;
	uint64_t h = 1;
	int got;

	perf_text_input(text, (struct input){ .ctx = &source, .read = source_read });
	perf_text_records(text, COOKIE);
	while ((got = perf_text_next(text, &ev, &err)) == 1)
		h = check_event(names, &ev, h);
	MUST(got == 0);
	MUST(perf_text_next(text, &ev, &err) == 0);
	MUST(perf_text_stats(text)->bytes == n);
	perf_text_free(text);
	intern_free(names);
	return h;
}

static void check_stream(const char *p, size_t n, uint64_t random)
{
	struct source whole = { .p = p, .n = n }, pieces = { .p = p, .n = n, .random = random | 1 };

	MUST(read_stream(whole) == read_stream(pieces));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_stream((const char *)data, size, size);
	return 0;
}

#ifndef LIBFUZZER

#ifdef __SANITIZE_ADDRESS__
#define CASES 300
#else
#define CASES 1500
#endif

struct buffer {
	char p[1 << 16];
	size_t n;
};

static void add(struct buffer *b, const void *p, size_t n)
{
	if (n > sizeof(b->p) - b->n)
		return;
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void add_byte(struct buffer *b, uint64_t byte)
{
	add(b, &byte, 1);
}

/* A number of n bytes: a small one, mostly. */
static void add_number(struct buffer *b, size_t n, uint64_t *random)
{
	uint64_t v = below(random, 30) ? below(random, 200) : next_random(random);

	add(b, &v, n);
}

static void add_place(struct buffer *b, uint64_t *random)
{
	static const char names[40] = "abcdefghijklmnopqrstuvwxyz\n\xf8\xfd => +0x1";
	uint64_t sym = below(random, 20), dso = below(random, 20);

	add_byte(b, WIRE_PLACE);
	add_byte(b, below(random, 2));
	add_number(b, 2, random);
	add_number(b, 8, random);
	add_number(b, 8, random);
	add(b, &sym, 2);
	add(b, &dso, 2);
	add(b, names + below(random, 20), sym);
	add(b, names + below(random, 20), dso);
}

static void add_text(struct buffer *b, uint64_t *random)
{
	static const char *const lines[] = {
		"",
		" instruction trace error type 1 time 1.5 cpu 0 pid 1 tid 2 ip 0 code 8: Lost",
		"1/2 0.5: PERF_RECORD_MMAP2 1/2: [0x1(0x1) @ 0 0:0 0 0]: r-xp \xf8",
		"1/2 0.6: 1 branches: call 7f f+0x3 (d) => 8 g+0x0 (d)",
		"11/12 2.2: 1 cbr: cbr: 8 freq: 801 MHz ( 28%) 0 7f f+0x3 (d)",
	};
	const char *line = lines[below(random, sizeof(lines) / sizeof(*lines))];
	uint64_t cookie = COOKIE;

	add(b, line, strlen(line));
	add_byte(b, '\n');
	if (below(random, 8) == 0)
		return;
	add_byte(b, WIRE_HELLO);
	add(b, &cookie, 8);
}

static void add_record(struct buffer *b, uint64_t *random)
{
	switch (below(random, 9)) {
	case 0: add_text(b, random); return;
	case 1: add_place(b, random); return;
	case 2:
		add_byte(b, WIRE_TIME);
		add_number(b, 8, random);
		return;
	case 3:
		add_byte(b, WIRE_THREAD);
		add_number(b, 4, random);
		add_number(b, 4, random);
		return;
	case 4:
		add_byte(b, WIRE_FLAGS);
		add_byte(b, below(random, 30));
		add_number(b, 4, random);
		return;
	case 5: add_byte(b, WIRE_TICK); return;
	default:
		add_byte(b, WIRE_BRANCH);
		add_byte(b, below(random, 30));
		add_number(b, 2, random);
		add_number(b, 2, random);
		add_number(b, 2, random);
	}
}

static void mutate(struct buffer *b, uint64_t *random)
{
	size_t at;

	if (b->n == 0)
		return;
	at = below(random, b->n);
	switch (below(random, 3)) {
	case 0: b->p[at] = (char)next_random(random); break;
	case 1: b->p[at] = (char)(WIRE_HELLO + below(random, 8)); break;
	default: memmove(b->p + at, b->p + at + 1, b->n - at - 1); b->n--;
	}
}

int main(int argc, char **argv)
{
	unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 10) : CASES;
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, bytes = 0;
	static struct buffer b;

	fuzz_replay("records");
	for (unsigned long i = 0; i < cases; i++) {
		uint64_t random = seed * 1000000007u + i;
		size_t records = 5 + below(&random, 200), times = below(&random, 6);

		b.n = 0;
		add_text(&b, &random);
		while (records--)
			add_record(&b, &random);
		while (times--)
			mutate(&b, &random);
		bytes += b.n;
		check_stream(b.p, b.n, random);
	}
	printf("ok fuzz/records: %lu cases, %" PRIu64 " bytes, seed %" PRIu64 "\n", cases, bytes,
	       seed);
	return 0;
}

#endif
