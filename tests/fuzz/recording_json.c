/* SPDX-License-Identifier: MIT */
/*
 * recording_json [CASES [SEED]]: reads mangled texts of recording.json, and writes recordings of
 * random names. What is read obeys the rules of docs/recording.md; what is written can be read, and
 * says the same. Aborts when something does not hold.
 */
#include "base/xalloc.h"
#include "record/describe.h"
#include "record/description.h"
#include "support/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_rules(const struct recording *rec)
{
	MUST(!rec->scope || !strcmp(rec->scope, "u") || !strcmp(rec->scope, "k") ||
	     !strcmp(rec->scope, "uk"));
	MUST(!rec->mode || !strcmp(rec->mode, "intel_pt") || !strcmp(rec->mode, "sampling"));
	MUST(!rec->build_id || strlen(rec->build_id) % 2 == 0);
	for (size_t i = 0; i < rec->n_hits; i++) {
		MUST(rec->hits[i].time >= 0 && rec->hits[i].passed >= 0);
		MUST(rec->hits[i].tid > 0 && rec->hits[i].symbol);
	}
	for (size_t i = 0; i < rec->n_processes; i++) {
		MUST(rec->processes[i].pid > 0);
		MUST(i == 0 || rec->processes[i - 1].pid <= rec->processes[i].pid);
	}
	for (size_t i = 0; i < rec->n_threads; i++) {
		const struct recording_thread *t = &rec->threads[i];

		MUST(t->pid > 0 && t->tid > 0);
		MUST(i == 0 || t[-1].pid < t->pid || (t[-1].pid == t->pid && t[-1].tid <= t->tid));
	}
}

static void check_same_hits(const struct recording *a, const struct recording *b)
{
	MUST(a->n_hits == b->n_hits);
	for (size_t i = 0; i < a->n_hits; i++) {
		const struct recording_hit *x = &a->hits[i], *y = &b->hits[i];

		MUST(x->time == y->time && x->passed == y->passed && x->arg == y->arg);
		MUST(x->ip == y->ip && x->tid == y->tid && same(x->symbol, y->symbol));
	}
}

static void check_same(const struct recording *a, const struct recording *b)
{
	MUST(same(a->mode, b->mode) && same(a->scope, b->scope));
	MUST(same(a->callgraph, b->callgraph) && same(a->event, b->event));
	MUST(same(a->trigger, b->trigger) && same(a->executable, b->executable));
	MUST(same(a->build_id, b->build_id) && same(a->perf_version, b->perf_version));
	MUST(same(a->magic_trace_version, b->magic_trace_version));
	MUST(same(a->kernel, b->kernel) && same(a->cpu, b->cpu) && same(a->reason, b->reason));
	MUST(a->part == b->part && a->wall_clock == b->wall_clock);
	check_same_hits(a, b);
	MUST(a->n_processes == b->n_processes && a->n_threads == b->n_threads);
	for (size_t i = 0; i < a->n_processes; i++) {
		int32_t pid = a->processes[i].pid;

		MUST(same(recording_command_line(a, pid), recording_command_line(b, pid)));
	}
	for (size_t i = 0; i < a->n_threads; i++) {
		const struct recording_thread *t = &a->threads[i];

		MUST(same(recording_comm(a, t->pid, t->tid), recording_comm(b, t->pid, t->tid)));
	}
}

/* Writes rec, reads that, and writes it again. */
static void check_writing(const struct recording *rec)
{
	struct recording *back = recording_new();
	struct err err = ERR_INIT;
	struct str text;
	char *first, *second;
	size_t n;

	first = describe(rec, &text.n, &err);
	MUST(first != NULL);
	text.p = first;
	MUST(description_parse(back, text, &err) == 0);
	check_rules(back);
	check_same(rec, back);
	second = describe(back, &n, &err);
	MUST(second != NULL && n == text.n && memcmp(first, second, n) == 0);
	free(first);
	free(second);
	recording_free(back);
}

/* Whether it was taken. */
static bool check_text(const char *p, size_t n)
{
	struct recording *rec = recording_new();
	struct err err = ERR_INIT;
	bool taken = description_parse(rec, (struct str){ .p = p, .n = n }, &err) == 0;

	if (taken) {
		check_rules(rec);
		check_writing(rec);
	} else {
		MUST(err.msg[0] != '\0');
		description_free(rec);
		MUST(!rec->part && rec->n_hits == 0 && rec->n_threads == 0 && !rec->mode);
	}
	recording_free(rec);
	return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_text((const char *)data, size);
	return 0;
}

#ifndef LIBFUZZER

static const char *const corpus[] = {
	"{\"version\": 1}",
	"{\"version\": 1, \"mode\": \"intel_pt\", \"scope\": \"uk\", \"event\": \"cyc=1\"}",
	"{\"version\": 1, \"mode\": \"sampling\", \"callgraph\": \"dwarf\", \"scope\": \"k\","
	" \"event\": \"cpu-clock\", \"wall_clock\": -5, \"trigger\": \"f\"}",
	"{\"version\": 1, \"part\": true, \"reason\": \"no space\", \"kernel\": \"6.1\"}",
	"{\"version\": 1, \"build_id\": \"00ff\", \"executable\": \"/bin/\xf4\x8f\xbb\xbf\"}",
	"{\"version\": 1, \"hits\": [{\"time\": 5, \"tid\": 2147483647, \"symbol\": \"f\","
	" \"arg\": \"0xffffffffffffffff\", \"ip\": \"0x1f\", \"passed\": 9223372036854775807},"
	" {\"time\": 0, \"tid\": 1, \"symbol\": \"\\u00e4\\ud83d\\ude00\"}]}",
	"{\"version\": 1, \"processes\": [{\"pid\": 1, \"command_line\": \"a\"}, {\"pid\": 2,"
	" \"threads\": [{\"tid\": 2, \"comm\": \"x\"}, {\"tid\": 2}]}, {\"pid\": 1}]}",
	"{\"version\": 1, \"processes\": [{\"pid\": 9, \"threads\": [{\"tid\": 3}]},"
	" {\"pid\": 9, \"threads\": [{\"tid\": 3, \"comm\": \"y\"}]}], \"later\": {\"a\": [1.5]}}",
};

static const char *const fragments[] = {
	"\"",
	"\\",
	"{",
	"}",
	"[",
	"]",
	",",
	":",
	"0",
	"-1",
	"null",
	"true",
	"1e400",
	"9223372036854775808",
	"2147483648",
	"\\u0000",
	"\\ud800",
	"\"0x\"",
	"\"version\": 1,",
	"\"threads\": [{\"tid\": 1}],",
	"\"hits\": [],",
	"\"part\": true,",
	"\xff",
	"\xf4\x8f\xba\x80",
	"\xf4\x8f\xbb",
};

/* The sanitizer makes each of them cost a multiple. MT_LONG: ten times as many. */
#ifdef __SANITIZE_ADDRESS__
#define CASES 5000
#else
#define CASES 40000
#endif

static unsigned long cases_by_default(void)
{
	const char *is_long = getenv("MT_LONG");

	return is_long && *is_long && strcmp(is_long, "0") != 0 ? 10 * CASES : CASES;
}

struct text {
	char p[4096];
	size_t n;
};

static void insert(struct text *t, size_t at, const char *s, size_t n)
{
	if (t->n + n > sizeof(t->p))
		return;
	memmove(t->p + at + n, t->p + at, t->n - at);
	memcpy(t->p + at, s, n);
	t->n += n;
}

static void mutate(struct text *t, uint64_t *random)
{
	size_t at = below(random, t->n + 1), n = 1 + below(random, 20);
	const char *s = fragments[below(random, COUNT(fragments))];
	char copy[20];

	n = n < t->n - at ? n : t->n - at;
	switch (below(random, 5)) {
	case 0: insert(t, at, s, strlen(s)); return;
	case 1:
		memcpy(copy, t->p + at, n);
		insert(t, below(random, t->n + 1), copy, n);
		return;
	case 2:
		if (n)
			t->p[at] = (char)next_random(random);
		return;
	case 3:
		if (n)
			t->p[at] ^= (char)(1 << below(random, 7));
		return;
	default: memmove(t->p + at, t->p + at + n, t->n - at - n); t->n -= n;
	}
}

/* Bytes of all kinds, those that stand for others among them; NULL now and then. */
static const char *random_name(char buf[64], uint64_t *random)
{
	static const unsigned char likely[] = { 0xf4, 0x8f, 0xba, 0xbb, 0x80, '"', '\\', '\n' };
	size_t n = below(random, 63);

	if (below(random, 8) == 0)
		return NULL;
	for (size_t i = 0; i < n; i++)
		buf[i] = (char)(below(random, 2) ? likely[below(random, COUNT(likely))]
						 : 1 + below(random, 255));
	buf[n] = '\0';
	return buf;
}

static void check_random_recording(uint64_t *random)
{
	struct recording *rec = recording_new();
	char buf[64];

	recording_set(&rec->executable, random_name(buf, random));
	recording_set(&rec->event, random_name(buf, random));
	recording_set(&rec->trigger, random_name(buf, random));
	recording_set(&rec->cpu, random_name(buf, random));
	recording_set(&rec->callgraph, below(random, 2) ? "fp" : NULL);
	rec->wall_clock = (int64_t)next_random(random);
	if (below(random, 2))
		recording_set_part(rec, random_name(buf, random));
	for (size_t n = below(random, 20); n; n--) {
		int32_t pid = (int32_t)below(random, 8) - 1;
		struct recording_hit hit = {
			.time = (int64_t)next_random(random),
			.passed = (int64_t)next_random(random),
			.arg = next_random(random),
			.ip = next_random(random),
			.tid = (int32_t)next_random(random),
		};

		recording_add_process(rec, pid, random_name(buf, random));
		recording_add_thread(rec, (int32_t)below(random, 8) - 1,
				     (int32_t)next_random(random), random_name(buf, random));
		recording_add_thread(rec, pid, (int32_t)below(random, 4), random_name(buf, random));
		hit.symbol = (char *)random_name(buf, random);
		recording_add_hit(rec, &hit);
	}
	check_rules(rec);
	check_writing(rec);
	recording_free(rec);
}

int main(int argc, char **argv)
{
	unsigned long cases = argc > 1 ? strtoul(argv[1], NULL, 10) : cases_by_default(), taken = 0;
	uint64_t seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	struct text t;

	fuzz_replay("recording_json");
	for (unsigned long i = 0; i < cases; i++) {
		uint64_t random = seed * 1000000007u + i;
		const char *s = corpus[below(&random, COUNT(corpus))];
		size_t times = below(&random, 6);

		t.n = 0;
		insert(&t, 0, s, strlen(s));
		while (times--)
			mutate(&t, &random);
		taken += check_text(t.p, t.n);
		if (i % 16 == 0)
			check_random_recording(&random);
	}
	/* neither all nor none: else the texts would be of no use */
	MUST(cases < 1000 || (taken > cases / 10 && taken < cases));
	printf("ok fuzz/recording_json: %lu cases, %lu taken, seed %" PRIu64 "\n", cases, taken,
	       seed);
	return 0;
}

#endif
