/* SPDX-License-Identifier: MIT */
/*
 * perf_text [CASES [SEED]]: reads mangled texts of perf and checks what holds for any text: every
 * field is within its bounds, every name is one of the table, the counts add up, and neither the
 * size of the reads nor what was read before changes a single event. Aborts when something does not
 * hold.
 */
#include "base/intern.h"
#include "event/print.h"
#include "perf/chain.h"
#include "perf/place.h"
#include "perf/text.h"
#include "support/fuzz.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gives out a text in pieces of random sizes, or whole. */
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
	/* mostly small; of a long text, larger pieces */
	if (s->random && n)
		n = 1 + below(&s->random, n < 200 ? n : n / 3);
	memcpy(buf, s->p, n);
	s->p += n;
	s->n -= n;
	return (ssize_t)n;
}

static void check_name(const struct intern *names, uint32_t id)
{
	MUST(id <= intern_count(names));
}

static void check_place(const struct intern *names, const struct location *loc)
{
	check_name(names, loc->sym);
	check_name(names, loc->dso);
	MUST(loc->off < PLACE_MAX_OFFSET);
}

static void check_event(const struct intern *names, const struct event *ev)
{
	MUST(ev->pid >= 0 && ev->tid >= 0);
	MUST(ev->has_time ? ev->time >= 0 : ev->kind == EVENT_ERROR);
	MUST(!ev->in_tx || ev->kind == EVENT_BRANCH);
	MUST(ev->region == 0);
	switch (ev->kind) {
	case EVENT_BRANCH:
		MUST((unsigned int)ev->branch.kind < BRANCH_KINDS);
		MUST((unsigned int)ev->branch.state <= TRACE_END);
		check_place(names, &ev->branch.src);
		check_place(names, &ev->branch.dst);
		return;
	case EVENT_SAMPLE:
		MUST(ev->sample.n <= PERF_CHAIN_MAX);
		for (size_t i = 0; i < ev->sample.n; i++)
			check_place(names, &ev->sample.frames[i]);
		return;
	case EVENT_EXTRA:
		MUST(ev->extra.name != INTERN_NONE);
		check_name(names, ev->extra.name);
		check_place(names, &ev->extra.place);
		return;
	case EVENT_CBR: return;
	case EVENT_PTWRITE: check_place(names, &ev->ptwrite.place); return;
	case EVENT_ERROR:
		MUST(ev->error.message != INTERN_NONE);
		check_name(names, ev->error.message);
		return;
	}
	MUST(!"a kind of event");
}

static uint64_t digest(uint64_t h, const void *p, size_t n)
{
	const unsigned char *s = p;

	while (n--)
		h = (h ^ *s++) * 0x100000001b3u;
	return h;
}

/* Reads the text to its end with a reader; a digest of all events. */
static uint64_t read_text(struct perf_text *text, const struct intern *names, struct source source)
{
	const struct perf_text_stats *stats = perf_text_stats(text);
	struct perf_text_stats before = *stats;
	uint64_t h = 0xcbf29ce484222325u, events = 0, lost = 0;
	size_t size = source.n, n;
	const struct perf_note *notes;
	struct event ev;
	struct err err;
	char line[2000];
	int got;

	perf_text_input(text, (struct input){ .ctx = &source, .read = source_read });
	while ((got = perf_text_next(text, &ev, &err)) == 1) {
		events++;
		check_event(names, &ev);
		n = event_print(line, sizeof(line), &ev, names);
		MUST(n < sizeof(line) && line[n] == '\0');
		h = digest(h, line, n);
	}
	MUST(got == 0);
	MUST(perf_text_next(text, &ev, &err) == 0);
	MUST(stats->bytes - before.bytes == size);
	MUST(stats->events - before.events == events);
	MUST(events + stats->lost - before.lost <= stats->lines - before.lines);
	notes = perf_text_notes(text, &n);
	for (size_t i = 0; i < n; i++) {
		MUST(notes[i].count > 0 && notes[i].line > 0 && notes[i].line <= stats->lines);
		if (notes[i].kind == PERF_NOTE_LINE || notes[i].kind == PERF_NOTE_LONG)
			lost += notes[i].count;
	}
	MUST(lost == stats->lost);
	return h;
}

static void check_text(const char *p, size_t n, enum perf_mode mode, uint64_t random)
{
	struct intern *names = intern_new(1 << 20);
	struct perf_text *text = perf_text_new(mode, names, NULL, NULL);
	struct source whole = { .p = p, .n = n }, pieces = { .p = p, .n = n, .random = random | 1 };
	uint64_t first = read_text(text, names, whole);

	/* again with the same reader, in pieces; unless names had to be given up */
	if (intern_refused(names) == 0)
		MUST(read_text(text, names, pieces) == first);
	perf_text_free(text);
	text = perf_text_new(mode, names, NULL, NULL);
	if (intern_refused(names) == 0)
		MUST(read_text(text, names, pieces) == first);
	perf_text_free(text);
	intern_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t random = digest(0, data, size < 64 ? size : 64);

	check_text((const char *)data, size, random & 2 ? PERF_PT : PERF_SAMPLING, random);
	return 0;
}

#ifndef LIBFUZZER

static const char *const corpus[] = {
	"11/12 339075.341173319:          1    branches:u:   tr strt jmp               0 [unknown] ([unknown]) =>     7f5029da6be4 load+0x164 (/usr/lib64/ld.so)",
	" 11/12  43654.262808407:          1    branches:ku:   call              7f5029da6be4 load+0x164 (/usr/lib64/ld.so) => ffffffffc0273dae bpf_prog_5+0xfe (bpf_prog_5)",
	"11/13 339075.341173319:          1    branches:uH:   return         (x)    7f5029da6be4 f => g+0x164 (/a b/(c)/ld.so (deleted)) =>     7f5029da6be4 load+0x164 (/usr/lib64/ld.so)",
	"11/13 339075.341173319:   jmp                           708540b [unknown] =>          7084ef0 tan@plt+0xfffffffffef9b000",
	"11/13 339075.341:          1    branches:uH:   tr end  hw int (xD)  564aa58813d4 a::B<a::C, a::D>::run(int)+0x554 (/bin/w) =>  0 [unknown] ([unknown])",
	"11/13 339075.341:          1    branches:   jcc/miss,not_taken/   ffffffff81000c82 x => +0x5 ([kernel.kallsyms]) =>  ffffffff81000c88 +0x0 ([kernel.kallsyms]) \t IPC: 0.91 (197/216) ",
	"11/12 25062.244538101:          1     cbr:   syscall              cbr:  8 freq:  801 MHz ( 28%)          0     7f77dc9f4646 __nanosleep+0x16 (/usr/lib64/libc.so)",
	"11/12 25062.244538101:          1     psb:                        psb offs: 0x4be8          0     7f068fbfd330 mmap64+0x50 (/usr/lib64/ld-2.28.so)",
	"11/12 30720.265503976:         50     cache-misses/period=50/u:                  0     7fca9945c595 __sleep+0x55 (/usr/lib64/libc-2.28.so)",
	"11/12 31043.387175119:         50 branch-misses/period=50/u: ",
	"11/12 529215.810279538:     100000 cpu-clock:uH: ",
	"11/12 529215.810279539:          1 cpu_core/cycles,freq=10000/u: ",
	"11/12 529215.810279539:          1 probe_x:entry:                    0",
	"\t         687bd57 check+0x7 (redacted)",
	"\t    7f5c0c875a90 dl_open+0x0 (/usr/lib64/ld-2.28.so)",
	"\tffffffffaf001100 [unknown] ([unknown])",
	"            7f165b22b12e main(int)+0x80 (inlined)",
	"",
	" instruction trace error type 1 time 47170.086912826 cpu -1 pid 11 tid 12 ip 0x7ffff7327730 code 7: Overflow packet",
	" instruction trace error type 1 machine_pid 5 vcpu 0 cpu 1 pid -1 tid -1 ip 0 code 8: Lost trace data",
	"   tsc_msrs 12 [007] 10897.962087836:      branches:   vmentry                ffffffffc13b2f82 vmx+0x2 (vmlinux) =>                0 [unknown] ([unknown])",
	"   [guest/18] 18 [007] 10897.962088248:      branches:   vmexit                           40dba0 ucall+0x0 (/path/t) =>                0 [unknown] ([unknown])",
	"          eg_ptw 19 [007]  8061.235912:     ptwrite:  IP: 0 payload: 0x6f6c6c6548 Hello      55701249a196 emulate+0x16 (/path/eg_ptw)",
	"11/12 5.5: 1 mwait:  hints: 0x60 extensions: 0x1",
	"11/12 5.5: 1 instructions:u:      55701249a196 emulate+0x16 (/path/eg_ptw)",
	"11/12 [062] 13961.572140369: PERF_RECORD_MMAP2 11/12: [0x55d5329f8000(0x43000) @ 0x16000 <81>]: r-xp /tmp/p",
	"Warning:",
	"7 instruction trace errors",
	"[ perf record: Captured and wrote 4,003 MB /tmp/x/perf.data ]",
};

static const char *const fragments[] = {
	" => ",
	" => 12 ",
	"+0x",
	"+0x1f",
	" (",
	")",
	"(",
	" ",
	"        ",
	"\t",
	"\n",
	"\r\n",
	"\n\t",
	"[unknown]",
	"[unknown] (",
	"0",
	"ff",
	"/",
	":",
	": ",
	"-1",
	".5:",
	"branches:u:",
	"cycles:u: \n\t 1 f+0x0 (x)\n",
	"18446744073709551616",
	"ffffffffffffffffff",
	"(x)",
	"tr strt ",
	"tr end  ",
	"call",
	"freq: ",
	"payload: 0x",
	"\xc3",
	"\xff\xfe",
};

/* The sanitizer makes each reader's memory, most of it not used, cost a multiple. */
#ifdef __SANITIZE_ADDRESS__
#define CASES 3000
#else
#define CASES 20000
#endif

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

struct buffer {
	char *p;
	size_t n, cap;
};

/* Puts n bytes in at `at`; s must not lie in the buffer. */
static void insert(struct buffer *b, size_t at, const char *s, size_t n)
{
	if (b->n + n > b->cap)
		return;
	memmove(b->p + at + n, b->p + at, b->n - at);
	memcpy(b->p + at, s, n);
	b->n += n;
}

static void insert_copy(struct buffer *b, size_t at, size_t from, size_t n)
{
	char part[256];

	n = n < sizeof(part) ? n : sizeof(part);
	n = n < b->n - from ? n : b->n - from;
	memcpy(part, b->p + from, n);
	insert(b, at, part, n);
}

static void drop(struct buffer *b, size_t at, size_t n)
{
	n = n < b->n - at ? n : b->n - at;
	memmove(b->p + at, b->p + at + n, b->n - at - n);
	b->n -= n;
}

static void insert_line(struct buffer *b, size_t at, uint64_t *random)
{
	const char *line = corpus[below(random, COUNT(corpus))];

	insert(b, at, "\n", 1);
	insert(b, at, line, strlen(line));
}

/* One byte many times over: lines longer than any that is read. */
static void insert_run(struct buffer *b, size_t at, uint64_t *random)
{
	size_t n = below(random, 2 * (size_t)PERF_LINE_MAX);
	char *run = malloc(n + 1);

	memset(run, "x ()=\t0"[below(random, 7)], n);
	insert(b, at, run, n);
	free(run);
}

static void mutate(struct buffer *b, uint64_t *random)
{
	size_t at = below(random, b->n + 1);
	const char *fragment;

	switch (below(random, 8)) {
	case 0:
		if (at < b->n)
			b->p[at] = (char)next_random(random);
		break;
	case 1:
	case 2:
	case 3:
		fragment = fragments[below(random, COUNT(fragments))];
		insert(b, at, fragment, strlen(fragment));
		break;
	case 4: drop(b, at, 1 + below(random, 30)); break;
	case 5: insert_copy(b, at, below(random, b->n + 1), 1 + below(random, 200)); break;
	case 6: insert_line(b, at, random); break;
	default:
		if (below(random, 400) == 0)
			insert_run(b, at, random);
		else if (below(random, 10) == 0)
			b->n = at;
	}
}

int main(int argc, char **argv)
{
	unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 10) : CASES;
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, bytes = 0;
	struct buffer b = { .cap = 4u << 20 };

	/* fresh pages for each reader's table of places cost less than clearing all of it */
	mallopt(M_MMAP_THRESHOLD, 1 << 20);
	b.p = malloc(b.cap);
	MUST(b.p != NULL);
	fuzz_replay("perf_text");
	for (unsigned long i = 0; i < cases; i++) {
		uint64_t random = seed * 1000000007u + i;
		size_t lines = below(&random, 12), times = below(&random, 20);

		b.n = 0;
		while (lines--)
			insert_line(&b, b.n, &random);
		while (times--)
			mutate(&b, &random);
		bytes += b.n;
		check_text(b.p, b.n, PERF_PT, random);
		check_text(b.p, b.n, PERF_SAMPLING, random);
	}
	free(b.p);
	printf("ok fuzz/perf_text: %lu cases, %" PRIu64 " bytes, seed %" PRIu64 "\n", cases, bytes,
	       seed);
	return 0;
}

#endif
