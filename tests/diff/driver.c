/* SPDX-License-Identifier: MIT */
/*
 * driver: runs many texts of perf script through the reader and the stacks, one case after another,
 * in one process, and prints the spans as lines. The differential and property tests feed it.
 *
 * Standard input, one command a line:
 *   scope u|k|uk         which code was recorded (default u)
 *   reference            as -stacks reference -time-spread reference
 *   sampling             the recording is one of sampled stacks
 *   max-depth N          as -max-depth
 *   filter START STOP    as -filter; both escaped
 *   push|pop|enter HEX   one address of an OCaml exception handler
 *   hit TIME PASSED ARG IP TID SYMBOL    a trigger's hit; ARG and IP in hex, SYMBOL escaped
 *   skip-tx              every event of a transaction counts
 *   chunk N              the reader gets at most N bytes at a time
 *   budget N             bytes that waiting spans may take in memory
 *   inlined              functions were inlined, as inlined_somewhere has it
 *   text N               the N bytes after this line are the next data file
 *   run                  does it, prints, and forgets the case
 * Output: one line a span or hit, then `stats ...` and `end`; see print.h, also for escapes.
 */
#include "diff/print.h"

#include "base/intern.h"
#include "base/spool.h"
#include "base/xalloc.h"
#include "event/event.h"
#include "perf/text.h"
#include "stack/stacks.h"
#include "support/inlinedsomewhere.h"

#include <errno.h>
#include <string.h>

#define MAX_FILES 8
#define MAX_TRAPS 64
#define MAX_HITS  32

struct text_file {
	char *p;
	size_t n;
};

struct address_list {
	uint64_t at[MAX_TRAPS];
	size_t n;
};

struct test_case {
	enum trace_scope scope;
	enum perf_mode mode;
	bool skip_tx, reference, inlined;
	uint32_t max_depth;
	size_t chunk, budget;
	char *start, *stop;
	struct address_list push, pop, enter;
	struct trigger_hit hits[MAX_HITS];
	char *hit_names[MAX_HITS];
	size_t n_hits;
	struct text_file files[MAX_FILES];
	size_t n_files;
};

/* A text that the reader gets in pieces. */
struct pieces {
	const char *p;
	size_t left, chunk;
};

static uint64_t number(const char *s, int base)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(s, &end, base);
	if (errno || end == s || *end)
		die("not a number", s);
	return v;
}

static int64_t signed_number(const char *s)
{
	return *s == '-' ? -(int64_t)number(s + 1, 10) : (int64_t)number(s, 10);
}

static ssize_t read_memory(void *ctx, void *buf, size_t size, struct err *err)
{
	struct pieces *text = ctx;

	(void)err;
	if (size > text->chunk)
		size = text->chunk;
	if (size > text->left)
		size = text->left;
	memcpy(buf, text->p, size);
	text->p += size;
	text->left -= size;
	return (ssize_t)size;
}

static void read_file(struct perf_text *text, struct stacks *stacks, struct pieces pieces)
{
	struct err err = ERR_INIT;
	struct event ev;
	int rc;

	perf_text_input(text, (struct input){ .ctx = &pieces, .read = read_memory });
	stacks_next_file(stacks);
	while ((rc = perf_text_next(text, &ev, &err)) > 0)
		stacks_feed(stacks, &ev);
	if (rc < 0)
		die("perf_text_next", err.msg);
}

static void print_stats(const struct stacks *stacks, const struct perf_text *text)
{
	const struct stacks_stats *s = stacks_stats(stacks);
	const struct perf_text_stats *t = perf_text_stats(text);

	printf("stats events=%" PRIu64 " lines=%" PRIu64 " lost=%" PRIu64 " threads=%" PRIu64
	       " calls=%" PRIu64 " clamped=%" PRIu64 " hidden=%" PRIu64 " out_of_scope=%" PRIu64
	       " tx_aborted=%" PRIu64 " tx_lost=%" PRIu64 " bad_poptraps=%" PRIu64
	       " regions=%" PRIu64 " overflowed=%" PRIu64 " inlined=%" PRIu64 "\nend\n",
	       t->events, t->lines, t->lost, s->threads, s->calls, s->clamped, s->hidden,
	       s->out_of_scope, s->tx_aborted, s->tx_lost, s->bad_poptraps, s->regions,
	       s->overflowed, s->inlined);
}

static void run_case(struct test_case *c)
{
	struct printer out = { .names = intern_new(0) };
	size_t chunk = c->chunk ? c->chunk : SIZE_MAX;
	struct spool_pool *pool = spool_pool_new(c->budget ? c->budget : 1 << 20);
	struct ocaml_traps traps = {
		.push = c->push.at,
		.pop = c->pop.at,
		.enter = c->enter.at,
		.n_push = c->push.n,
		.n_pop = c->pop.n,
		.n_enter = c->enter.n,
	};
	bool has_traps = c->push.n || c->pop.n || c->enter.n;
	struct stacks_config config = {
		.scope = c->scope,
		.names = out.names,
		.sink = { &out, sink_track, sink_span, sink_hit },
		.pool = pool,
		.skip_tx = c->skip_tx,
		.reference = c->reference,
		.reference_times = c->reference,
		.max_depth = c->max_depth,
		.traps = has_traps ? &traps : NULL,
		.hits = c->hits,
		.n_hits = c->n_hits,
		.inlined = c->inlined ? inlined_somewhere : NULL,
		.ctx = out.names,
	};
	struct perf_text *text = perf_text_new(c->mode, out.names, NULL, NULL);
	struct err err = ERR_INIT;
	struct stacks *stacks;

	if (c->start) {
		config.filter_start = str_of(c->start);
		config.filter_stop = str_of(c->stop);
	}
	for (size_t i = 0; i < c->n_hits; i++)
		c->hits[i].symbol = intern_add(out.names, str_of(c->hit_names[i]));
	stacks = stacks_new(&config);
	for (size_t i = 0; i < c->n_files; i++)
		read_file(text, stacks, (struct pieces){ c->files[i].p, c->files[i].n, chunk });
	stacks_finish(stacks);
	print_stats(stacks, text);
	if (spool_pool_error(pool, &err))
		die("spool", err.msg);
	stacks_free(stacks);
	perf_text_free(text);
	spool_pool_free(pool);
	intern_free(out.names);
	free(out.tracks);
}

static void forget_case(struct test_case *c)
{
	for (size_t i = 0; i < c->n_files; i++)
		free(c->files[i].p);
	for (size_t i = 0; i < c->n_hits; i++)
		free(c->hit_names[i]);
	free(c->start);
	free(c->stop);
	*c = (struct test_case){ 0 };
}

/* The next word of *line, or the end of the program. */
static char *word(char **line)
{
	char *w = strsep(line, " ");

	if (!w || !*w)
		die("command", "a word is missing");
	return w;
}

static char *name_word(char **line)
{
	char *w = word(line);

	unescape(w);
	return xstrdup(w);
}

static void add_address(struct address_list *list, const char *s)
{
	if (list->n == MAX_TRAPS)
		die("command", "too many addresses");
	list->at[list->n++] = number(s, 16);
}

static void add_hit(struct test_case *c, char *line)
{
	struct trigger_hit *hit = &c->hits[c->n_hits];

	if (c->n_hits == MAX_HITS)
		die("command", "too many hits");
	hit->time = signed_number(word(&line));
	hit->passed = signed_number(word(&line));
	hit->arg = number(word(&line), 16);
	hit->ip = number(word(&line), 16);
	hit->tid = (int32_t)signed_number(word(&line));
	c->hit_names[c->n_hits++] = name_word(&line);
}

static void add_text(struct test_case *c, size_t n)
{
	struct text_file *file = &c->files[c->n_files];

	if (c->n_files == MAX_FILES)
		die("command", "too many texts");
	file->p = xmalloc(n + 1);
	file->n = n;
	if (fread(file->p, 1, n, stdin) != n)
		die("text", "shorter than announced");
	c->n_files++;
}

static enum trace_scope scope_named(const char *s)
{
	if (!strcmp(s, "u"))
		return SCOPE_USER;
	if (!strcmp(s, "k"))
		return SCOPE_KERNEL;
	if (!strcmp(s, "uk"))
		return SCOPE_USER_AND_KERNEL;
	die("scope", s);
}

static void command(struct test_case *c, char *line)
{
	char *cmd = word(&line);

	if (!strcmp(cmd, "scope")) {
		c->scope = scope_named(word(&line));
	} else if (!strcmp(cmd, "reference")) {
		c->reference = true;
	} else if (!strcmp(cmd, "sampling")) {
		c->mode = PERF_SAMPLING;
	} else if (!strcmp(cmd, "max-depth")) {
		c->max_depth = (uint32_t)number(word(&line), 10);
	} else if (!strcmp(cmd, "filter")) {
		c->start = name_word(&line);
		c->stop = name_word(&line);
	} else if (!strcmp(cmd, "push")) {
		add_address(&c->push, word(&line));
	} else if (!strcmp(cmd, "pop")) {
		add_address(&c->pop, word(&line));
	} else if (!strcmp(cmd, "enter")) {
		add_address(&c->enter, word(&line));
	} else if (!strcmp(cmd, "hit")) {
		add_hit(c, line);
	} else if (!strcmp(cmd, "skip-tx")) {
		c->skip_tx = true;
	} else if (!strcmp(cmd, "inlined")) {
		c->inlined = true;
	} else if (!strcmp(cmd, "chunk")) {
		c->chunk = number(word(&line), 10);
	} else if (!strcmp(cmd, "budget")) {
		c->budget = number(word(&line), 10);
	} else if (!strcmp(cmd, "text")) {
		add_text(c, number(word(&line), 10));
	} else if (!strcmp(cmd, "run")) {
		run_case(c);
		forget_case(c);
	} else {
		die("unknown command", cmd);
	}
}

int main(void)
{
	struct test_case c = { 0 };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		command(&c, line);
	}
	free(line);
	forget_case(&c);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
