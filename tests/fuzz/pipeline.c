/* SPDX-License-Identifier: MIT */
/*
 * pipeline [CASES [SEED]]: text of perf goes all the way into a trace file, which must be one that
 * support/fxtcheck.h has nothing to say against. The first byte says what the others are: a text;
 * or changes, then bytes that become a trace of branches (support/branchplan.h), whose text is
 * changed so. A text that was not changed must be read as the events that it was made of.
 */
#define FXTREAD_ABORTS
#include "base/spool.h"
#include "base/xalloc.h"
#include "perf/text.h"
#include "stack/stacks.h"
#include "support/branchplan.h"
#include "support/branchtext.h"
#include "support/fuzz.h"
#include "support/fxtcheck.h"
#include "trace/trace.h"

#define TEXT_MAX (4u << 20)

static ssize_t read_text(void *ctx, void *buf, size_t size, struct err *err)
{
	struct str *text = ctx;

	(void)err;
	size = size < text->n ? size : text->n;
	memcpy(buf, text->p, size);
	*text = str_skip(*text, size);
	return (ssize_t)size;
}

/* Names that any process may have. */
static const char *command_line(void *ctx, int32_t pid)
{
	(void)ctx;
	return pid % 3 ? "a\nb \xff\xc2\x9b \x1b[2J" : NULL;
}

static const char *comm(void *ctx, int32_t pid, int32_t tid)
{
	(void)ctx;
	return pid == tid ? "\x01\x7f\xe2\x80" : "thread";
}

static bool source(void *ctx, const struct source_place *place, struct source_line *out)
{
	(void)ctx;
	out->file = place->addr & 16 ? STR("dir/\x1f\xf0\x9f\x98.c") : STR("f.c");
	out->line = (uint32_t)place->addr;
	return place->addr % 3 != 0;
}

struct parts {
	struct intern *names;
	struct spool_pool *pool;
	struct trace *trace;
	struct stacks *stacks;
	struct perf_text *text;
};

static void open_parts(struct parts *p, uint64_t choice)
{
	struct trace_options options = {
		.path = fuzz_path("t.fxt"),
		.mark_inferred = choice & 4,
		.command_line = command_line,
		.comm = comm,
		.source = choice & 8 ? source : NULL,
	};
	struct stacks_config config = {
		.scope = (enum trace_scope)((choice >> 4) % 3),
		.reference = choice & 2,
		.max_depth = choice & 1 ? 20 : 500,
	};

	p->names = intern_new(1 << 20);
	p->pool = spool_pool_new(1 << 20);
	options.names = config.names = p->names;
	MUST(trace_open(&options, &p->trace, NULL) == 0);
	config.sink = trace_sink(p->trace);
	config.pool = p->pool;
	p->stacks = stacks_new(&config);
	p->text = perf_text_new(choice & 0x40 ? PERF_SAMPLING : PERF_PT, p->names, NULL, NULL);
}

/* Ends all, and checks the file. */
static void close_parts(struct parts *p)
{
	struct trace_stats stats;
	char *data;
	int fd;

	stacks_finish(p->stacks);
	MUST(trace_finish(p->trace, &stats, NULL) == 0);
	stacks_free(p->stacks);
	perf_text_free(p->text);
	spool_pool_free(p->pool);
	intern_free(p->names);
	fd = open(fuzz_path("t.fxt"), O_RDONLY | O_CLOEXEC);
	data = malloc(stats.file_bytes + 1);
	MUST(fd >= 0 && data);
	MUST(read(fd, data, stats.file_bytes + 1) == (ssize_t)stats.file_bytes);
	MUST(stats.raw_bytes == stats.file_bytes);
	close(fd);
	unlink(fuzz_path("t.fxt"));
	/* hits and notes are events too */
	MUST(fxtcheck_all(fxtread_over(data, stats.file_bytes)) >= stats.drawn);
}

/* How many events were read. */
static uint64_t trace_text(struct str text, uint64_t choice)
{
	struct parts p;
	struct event ev;
	uint64_t events;
	int got;

	open_parts(&p, choice);
	perf_text_input(p.text, (struct input){ .ctx = &text, .read = read_text });
	stacks_next_file(p.stacks);
	while ((got = perf_text_next(p.text, &ev, NULL)) == 1)
		stacks_feed(p.stacks, &ev);
	MUST(got == 0);
	events = perf_text_stats(p.text)->events;
	close_parts(&p);
	return events;
}

static void change(struct branchtext *text, struct fuzz_bytes *bytes)
{
	size_t at = fuzz_take(bytes, 2), n = fuzz_take(bytes, 1);
	char byte = (char)fuzz_take(bytes, 1);

	if (text->n == 0)
		return;
	at = at * 31 % text->n;
	if (n == 0) {
		text->p[at] = byte;
		return;
	}
	n = n < text->n - at ? n : text->n - at;
	memmove(text->p + at, text->p + at + n, text->n - at - n);
	text->n -= n;
}

static void trace_plan(struct fuzz_bytes bytes, uint64_t choice)
{
	struct intern *names = intern_new(0);
	struct branchtext text = { .names = names, .p = xmalloc(TEXT_MAX), .cap = TEXT_MAX };
	struct branchplan *plan = xmalloc(sizeof(*plan));
	size_t changes = fuzz_take(&bytes, 1) % 8;
	struct fuzz_bytes changing = bytes;
	uint64_t read, printed = 0;
	struct event ev;
	int got;

	for (size_t i = 0; i < changes; i++)
		fuzz_take(&bytes, 4);
	branchplan_init(plan, bytes, names);
	while ((got = branchplan_next(plan, &ev)) != 0 && text.cap - text.n > 65536) {
		/* stacks are sampled where branches are not recorded */
		if (got < 0 || ev.kind == EVENT_SAMPLE)
			continue;
		branchtext_event(&text, &ev);
		printed++;
	}
	for (size_t i = 0; i < changes; i++)
		change(&text, &changing);
	read = trace_text((struct str){ .p = text.p, .n = text.n }, choice & ~(uint64_t)0x40);
	MUST(changes || read == printed);
	free(plan);
	free(text.p);
	intern_free(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	uint64_t choice = fuzz_take(&bytes, 1);

	if (choice & 0x80)
		trace_plan(bytes, choice);
	else
		trace_text((struct str){ .p = (const char *)bytes.p, .n = bytes.n }, choice);
	return 0;
}

FUZZ_MAIN("pipeline", 300)
