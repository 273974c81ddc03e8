/* SPDX-License-Identifier: MIT */
#include "trace/events.h"

#include "support/fxtread.h"
#include "support/suite.h"

#include <inttypes.h>

static struct scratch s;
static struct err err;
static struct intern *names;
static struct trace_options options;
static struct trace *trace;
static struct trace_stats stats;
static struct span_sink sink;
static uint32_t main_id, dso, track;

static void begin(void)
{
	scratch_init(&s);
	names = intern_new(0);
	main_id = intern_add(names, STR("main"));
	dso = intern_add(names, STR("[kernel]"));
	options =
		(struct trace_options){ .path = strdup(scratch_path(&s, "a.fxt")), .names = names };
}

static void open_trace(void)
{
	ck_assert_int_eq(trace_open(&options, &trace, &err), 0);
	sink = trace_sink(trace);
	track = sink.track(sink.ctx, &(struct track_key){ .pid = 10, .tid = 11 });
}

static void give(struct span span)
{
	sink.span(sink.ctx, &span);
}

static struct fxtread *end(void)
{
	struct fxtread *r;

	ck_assert_int_eq(trace_finish(trace, &stats, &err), 0);
	r = fxtread_open(options.path);
	intern_free(names);
	free((void *)options.path);
	return r;
}

/*
 * The next event as text: "TYPE TIME NAME key=value ...", with the type of each argument by its
 * letter: i int32, u uint32, I int64, U uint64, s string, p pointer; then " last=N".
 */
static const char *next(struct fxtread *r)
{
	static const char letters[] = "?iuIU?sp";
	static char text[1024];
	struct fxtread_event ev;
	size_t n;
	unsigned i;

	if (!fxtread_next(r, &ev))
		return "end of file";
	ck_assert_uint_gt(ev.category.n, 0);
	n = (size_t)snprintf(text, sizeof(text), "%c %" PRIu64 " %.*s", "iCBEX???s?f"[ev.type],
			     ev.time, (int)ev.name.n, ev.name.p);
	for (i = 0; i < ev.n_args; i++) {
		const struct fxtread_arg *a = &ev.args[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, " %.*s:%c=", (int)a->name.n,
				      a->name.p, letters[a->type]);
		if (a->type == 6)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s", (int)a->text.n,
					      a->text.p);
		else if (a->type == 7)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "0x%" PRIx64, a->value);
		else
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%" PRId64,
					      (int64_t)a->value);
	}
	if (ev.type == 1 || ev.type >= 4)
		snprintf(text + n, sizeof(text) - n, " last=%" PRIu64, ev.last);
	return text;
}

static void finish(struct fxtread *r)
{
	ck_assert_str_eq(next(r), "end of file");
	fxtread_free(r);
	scratch_fini(&s);
}

START_TEST(test_begin_and_end)
{
	struct fxtread *r;

	begin();
	open_trace();
	give((struct span){ .time = 1, .addr = 0x401136, .name = main_id, .value = 0x999 });
	give((struct span){ .time = 2, .addr = 0, .name = main_id });
	give((struct span){ .time = 3, .addr = 0xffffffff81000000, .dso = dso });
	give((struct span){ .time = 4, .kind = SPAN_END, .addr = 0xffffffff81000000, .dso = dso });
	give((struct span){ .time = 4, .kind = SPAN_END, .name = main_id });
	give((struct span){ .time = INT64_MAX, .kind = SPAN_END, .name = main_id, .value = 7 });
	r = end();
	ck_assert_str_eq(next(r), "B 1 main address:p=0x401136 symbol:s=main");
	ck_assert_str_eq(next(r), "B 2 main address:p=0x0 symbol:s=main");
	ck_assert_str_eq(next(r), "B 3 [unknown @ 0xffffffff81000000 ([kernel])] "
				  "address:p=0xffffffff81000000 "
				  "symbol:s=[unknown @ 0xffffffff81000000 ([kernel])]");
	ck_assert_str_eq(next(r), "E 4 [unknown @ 0xffffffff81000000 ([kernel])]");
	ck_assert_str_eq(next(r), "E 4 main");
	ck_assert_str_eq(next(r), "E 9223372036854775807 main frames_below:U=7");
	ck_assert_uint_eq(stats.spans, 6);
	ck_assert_uint_eq(stats.begins, 3);
	finish(r);
}
END_TEST

START_TEST(test_inferred)
{
	struct fxtread *r;
	int mark;

	for (mark = 0; mark < 2; mark++) {
		begin();
		options.mark_inferred = mark;
		open_trace();
		give((struct span){ .name = main_id, .addr = 1, .flags = SPAN_INFERRED });
		give((struct span){ .dso = dso, .addr = 2, .flags = SPAN_INFERRED });
		give((struct span){ .name = main_id, .addr = 1 });
		r = end();
		ck_assert_str_eq(
			next(r),
			mark ? "B 0 main [inferred start time] address:p=0x1 symbol:s=main "
			       "inferred_start_time:s=true"
			     : "B 0 main address:p=0x1 symbol:s=main inferred_start_time:s=true");
		ck_assert_str_eq(
			next(r),
			mark ? "B 0 [unknown @ 0x2 ([kernel])] [inferred start time] address:p=0x2 "
			       "symbol:s=[unknown @ 0x2 ([kernel])] inferred_start_time:s=true"
			     : "B 0 [unknown @ 0x2 ([kernel])] address:p=0x2 "
			       "symbol:s=[unknown @ 0x2 ([kernel])] inferred_start_time:s=true");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x1 symbol:s=main");
		finish(r);
	}
}
END_TEST

/* Of addresses below 100; clones are at 64, and one at 400 in process 10. */
static bool source(void *ctx, const struct source_place *place, struct source_line *out)
{
	bool is_clone = place->addr == 64 || (place->addr == 400 && place->pid == 10);

	(void)ctx;
	if (place->addr < 100)
		*out = (struct source_line){ .file = STR("src/a.c"),
					     .line = place->is_call ? 23
						     : place->dso   ? 18
								    : 17,
					     .col = place->addr == 16 ? 3 : 0 };
	out->clone = is_clone && !place->is_call ? dso : INTERN_NONE;
	return place->addr < 100 || is_clone;
}

START_TEST(test_signal)
{
	struct fxtread *r;

	begin();
	open_trace();
	give((struct span){ .name = main_id, .addr = 1, .flags = SPAN_SIGNAL });
	give((struct span){ .kind = SPAN_END, .time = 5, .name = main_id });
	r = end();
	ck_assert_str_eq(next(r), "B 0 main address:p=0x1 symbol:s=main [signal]:s=true");
	ck_assert_str_eq(next(r), "E 5 main");
	finish(r);
}
END_TEST

START_TEST(test_doubt)
{
	struct fxtread *r;

	begin();
	open_trace();
	give((struct span){ .name = main_id, .addr = 1, .end = 51 });
	give((struct span){ .kind = SPAN_END, .time = 5, .name = main_id, .end = INT64_MAX });
	r = end();
	ck_assert_str_eq(next(r), "B 0 main address:p=0x1 symbol:s=main ± begin (ns):u=51");
	ck_assert_str_eq(next(r), "E 5 main ± end (ns):u=4294967295");
	finish(r);
}
END_TEST

/* Viewers tie an arrow's end to the slice that is open there: the order must stay. */
START_TEST(test_arrow)
{
	struct fxtread *r;

	begin();
	open_trace();
	give((struct span){ .name = main_id, .addr = 1 });
	give((struct span){ .kind = SPAN_ARROW_FROM, .time = 5, .value = 3 });
	give((struct span){ .kind = SPAN_END, .time = 5, .name = main_id });
	give((struct span){ .name = main_id, .addr = 1, .time = 6 });
	give((struct span){ .kind = SPAN_ARROW_TO, .time = 6, .value = 3 });
	give((struct span){ .kind = SPAN_END, .time = 9, .name = main_id });
	r = end();
	ck_assert_str_eq(next(r), "B 0 main address:p=0x1 symbol:s=main");
	ck_assert_str_eq(next(r), "s 5 goes on last=3");
	ck_assert_str_eq(next(r), "E 5 main");
	ck_assert_str_eq(next(r), "B 6 main address:p=0x1 symbol:s=main");
	ck_assert_str_eq(next(r), "f 6 goes on last=3");
	ck_assert_str_eq(next(r), "E 9 main");
	ck_assert_uint_eq(stats.begins, 2);
	finish(r);
}
END_TEST

START_TEST(test_source_lines)
{
	struct fxtread *r;

	begin();
	options.source = source;
	open_trace();
	give((struct span){ .name = main_id, .addr = 20, .start = 16 });
	give((struct span){ .name = main_id, .addr = 32, .start = 32, .flags = SPAN_INFERRED });
	give((struct span){ .name = main_id, .addr = 200, .start = 200 });
	give((struct span){ .name = main_id, .addr = 20, .start = 16, .kind = SPAN_END });
	r = end();
	ck_assert_str_eq(next(r),
			 "B 0 main address:p=0x14 line:u=17 col:u=3 symbol:s=main file:s=src/a.c");
	ck_assert_str_eq(next(r), "B 0 main address:p=0x20 line:u=17 symbol:s=main file:s=src/a.c "
				  "inferred_start_time:s=true");
	ck_assert_str_eq(next(r), "B 0 main address:p=0xc8 symbol:s=main");
	ck_assert_str_eq(next(r), "E 0 main");
	finish(r);
}
END_TEST

/* Where a function was called from, and whether it is a clone: with or without its own line. */
START_TEST(test_calls_and_clones)
{
	struct fxtread *r;

	begin();
	options.source = source;
	open_trace();
	give((struct span){ .name = main_id, .addr = 16, .start = 16, .value = 99 });
	give((struct span){ .name = main_id, .addr = 200, .start = 200, .value = 98 });
	give((struct span){ .name = main_id, .addr = 200, .start = 200, .value = 200 });
	give((struct span){ .name = main_id, .addr = 64, .start = 64 });
	give((struct span){ .name = main_id, .addr = 400, .start = 400 });
	give((struct span){ .name = main_id, .addr = 200, .value = 98, .kind = SPAN_END });
	r = end();
	ck_assert_str_eq(next(r), "B 0 main address:p=0x10 line:u=17 col:u=3 symbol:s=main "
				  "file:s=src/a.c called_from:s=src/a.c:23");
	ck_assert_str_eq(next(r), "B 0 main address:p=0xc8 symbol:s=main called_from:s=src/a.c:23");
	ck_assert_str_eq(next(r), "B 0 main address:p=0xc8 symbol:s=main");
	ck_assert_str_eq(next(r), "B 0 main address:p=0x40 line:u=17 symbol:s=main file:s=src/a.c "
				  "clone:s=[kernel]");
	ck_assert_str_eq(next(r), "B 0 main address:p=0x190 symbol:s=main clone:s=[kernel]");
	ck_assert_str_eq(next(r), "E 0 main frames_below:U=98");
	finish(r);
}
END_TEST

/* What was written before is written the same way, but for what differs. */
START_TEST(test_again)
{
	uint32_t other_id;
	struct fxtread *r;
	int round;

	begin();
	options.source = source;
	open_trace();
	other_id = intern_add(names, STR("other"));
	for (round = 0; round < 2; round++) {
		give((struct span){ .name = main_id, .addr = 16, .start = 16, .value = 99 });
		give((struct span){ .name = other_id, .addr = 17, .start = 16, .value = 99 });
		give((struct span){ .name = main_id, .start = 16, .value = 99, .end = 60 });
		give((struct span){
			.name = main_id, .start = 16, .value = 99, .flags = SPAN_SIGNAL });
		give((struct span){
			.name = main_id, .start = 16, .value = 99, .flags = SPAN_INLINED });
		give((struct span){ .name = main_id, .start = 16, .value = 98 });
		give((struct span){ .name = main_id, .start = 16 });
		give((struct span){ .name = main_id, .start = 16, .dso = dso });
		give((struct span){ .name = main_id, .start = 32 });
		give((struct span){ .start = 200, .addr = 200, .dso = dso });
		give((struct span){ .name = main_id, .start = 64 });
		give((struct span){ .name = main_id, .start = 16, .kind = SPAN_END });
	}
	r = end();
	for (round = 0; round < 2; round++) {
		ck_assert_str_eq(next(r), "B 0 main address:p=0x10 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23");
		ck_assert_str_eq(next(r),
				 "B 0 other address:p=0x11 line:u=17 col:u=3 symbol:s=other "
				 "file:s=src/a.c called_from:s=src/a.c:23");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23 "
					  "± begin (ns):u=60");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23 "
					  "[signal]:s=true");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23 "
					  "[inlined]:s=true");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=18 col:u=3 symbol:s=main "
					  "file:s=src/a.c");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 symbol:s=main "
					  "file:s=src/a.c");
		ck_assert_str_eq(next(r), "B 0 [unknown @ 0xc8 ([kernel])] address:p=0xc8 "
					  "symbol:s=[unknown @ 0xc8 ([kernel])]");
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 symbol:s=main "
					  "file:s=src/a.c clone:s=[kernel]");
		ck_assert_str_eq(next(r), "E 0 main");
	}
	finish(r);
}
END_TEST

/* More places that it was called from than are remembered: none is taken for another. */
START_TEST(test_again_from_many_places)
{
	struct fxtread_event ev;
	struct fxtread *r;
	uint64_t i, n = 16 * EVENTS_FORMS;

	begin();
	options.source = source;
	open_trace();
	for (i = 0; i < n; i++)
		give((struct span){ .name = main_id, .start = 200, .value = i % 2 ? 99 : 100 + i });
	r = end();
	for (i = 0; i < n; i++) {
		ck_assert(fxtread_next(r, &ev));
		ck_assert_uint_eq(ev.n_args, 2 + i % 2);
	}
	finish(r);
}
END_TEST

/* A file's index, but not the name's, means something else by the time that a function comes again.
 */
START_TEST(test_again_when_strings_were_redefined)
{
	struct fxtread_event ev;
	struct fxtread *r;
	char name[16];
	uint32_t i, n = FXT_MAX_STRING + 1000;

	begin();
	options.source = source;
	open_trace();
	give((struct span){ .name = main_id, .start = 16, .value = 99 });
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "f%" PRIu32, i);
		give((struct span){ .name = intern_add(names, str_of(name)), .start = 200 });
		give((struct span){ .name = main_id, .start = 200 });
	}
	for (i = 0; i < 2; i++)
		give((struct span){ .name = main_id, .start = 16, .value = 99 });
	r = end();
	ck_assert_uint_gt(stats.redefined, 1000);
	for (i = 0; i < 2 * n + 1; i++)
		ck_assert(fxtread_next(r, &ev));
	for (i = 0; i < 2; i++)
		ck_assert_str_eq(next(r), "B 0 main address:p=0x0 line:u=17 col:u=3 symbol:s=main "
					  "file:s=src/a.c called_from:s=src/a.c:23");
	finish(r);
}
END_TEST

START_TEST(test_complete_and_counter)
{
	struct fxtread *r;

	begin();
	open_trace();
	give((struct span){ .time = 5, .end = 9, .name = main_id, .kind = SPAN_COMPLETE });
	give((struct span){ .time = 6, .value = 3600, .kind = SPAN_COUNTER });
	give((struct span){ .time = 7, .value = UINT64_C(1) << 40, .kind = SPAN_COUNTER });
	r = end();
	ck_assert_str_eq(next(r), "X 5 main last=9");
	ck_assert_str_eq(next(r), "C 6 CPU freq (MHz):i=3600 last=11");
	ck_assert_str_eq(next(r), "C 7 CPU freq (MHz):I=1099511627776 last=11");
	ck_assert_uint_eq(stats.spans, 3);
	ck_assert_uint_eq(stats.begins, 0);
	finish(r);
}
END_TEST

START_TEST(test_extra_event)
{
	struct fxtread *r;
	uint32_t extra;
	struct track_key key = { .kind = TRACK_EXTRA, .pid = 10 };

	begin();
	key.event = intern_add(names, STR("branch-misses"));
	open_trace();
	extra = sink.track(sink.ctx, &key);
	give((struct span){ .kind = SPAN_EXTRA,
			    .time = 62617,
			    .addr = 0x7fca99943c60,
			    .name = main_id,
			    .value = 50,
			    .track = extra,
			    .owner = track });
	r = end();
	ck_assert_str_eq(next(r), "X 62617 branch-misses timestamp:i=62617 symbol:s=main "
				  "addr:p=0x7fca99943c60 count:i=50 pid:i=10 tid:i=11 last=62617");
	finish(r);
}
END_TEST

START_TEST(test_ptwrite)
{
	struct fxtread *r;
	static const struct {
		uint64_t payload;
		const char *want;
	} cases[] = {
		{ 0x6f6c6c6548, "payload:p=0x6f6c6c6548 text:s=Hello" },
		{ 0x3837363534333231, "payload:p=0x3837363534333231 text:s=12345678" },
		{ 0x7e20, "payload:p=0x7e20 text:s= ~" },
		{ 0, "payload:p=0x0" },
		{ 0x1234567890abcdef, "payload:p=0x1234567890abcdef" },
		{ 0x6f6c006548, "payload:p=0x6f6c006548" },
		{ 0x416c1f, "payload:p=0x416c1f" },
		{ 0x7f, "payload:p=0x7f" },
	};
	char want[128];
	size_t i;

	begin();
	open_trace();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		give((struct span){ .kind = SPAN_PTWRITE,
				    .time = 3,
				    .addr = 0x10,
				    .name = main_id,
				    .value = cases[i].payload });
	r = end();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(want, sizeof(want), "i 3 ptwrite %s address:p=0x10 symbol:s=main",
			 cases[i].want);
		ck_assert_str_eq(next(r), want);
	}
	finish(r);
}
END_TEST

START_TEST(test_hits)
{
	struct fxtread *r;
	struct hit_span hit = { .time = 900,
				.start = 500,
				.passed = 500,
				.arg = UINT64_MAX,
				.ip = 0x401136,
				.name = 0,
				.tid = 12,
				.has_arg = true };

	begin();
	hit.name = main_id;
	open_trace();
	hit.track = sink.track(sink.ctx, &(struct track_key){ .kind = TRACK_HITS });
	sink.hit(sink.ctx, &hit);
	hit = (struct hit_span){ .time = 7,
				 .start = 7,
				 .passed = -5000000000,
				 .track = hit.track,
				 .name = main_id,
				 .tid = 12 };
	sink.hit(sink.ctx, &hit);
	r = end();
	ck_assert_str_eq(next(r), "X 500 hit main timestamp_passed:i=500 arg:U=-1 timestamp:i=900 "
				  "tid:i=12 ip:p=0x401136 last=900");
	ck_assert_str_eq(next(r), "X 7 hit main timestamp_passed:I=-5000000000 timestamp:i=7 "
				  "tid:i=12 ip:p=0x0 last=7");
	finish(r);
}
END_TEST

/* What counts as drawn: all but counters, marks of decode errors and hits. */
START_TEST(test_drawn)
{
	struct hit_span hit = { .tid = 12 };

	begin();
	open_trace();
	hit.name = main_id;
	hit.track = sink.track(sink.ctx, &(struct track_key){ .kind = TRACK_HITS });
	give((struct span){ .name = main_id, .kind = SPAN_COUNTER });
	give((struct span){ .name = main_id, .kind = SPAN_COMPLETE, .flags = SPAN_ERROR });
	sink.hit(sink.ctx, &hit);
	ck_assert_uint_eq(trace_stats(trace)->drawn, 0);
	give((struct span){ .name = main_id, .kind = SPAN_BEGIN }); /* defines its strings */
	ck_assert_uint_eq(trace_stats(trace)->drawn, 1);
	give((struct span){ .name = main_id, .kind = SPAN_BEGIN });
	give((struct span){ .name = main_id, .kind = SPAN_END });
	give((struct span){ .name = main_id, .kind = SPAN_BEGIN, .flags = SPAN_INFERRED });
	give((struct span){ .name = main_id, .kind = SPAN_COMPLETE });
	give((struct span){ .name = main_id, .kind = SPAN_PTWRITE });
	ck_assert_uint_eq(trace_stats(trace)->drawn, 6);
	ck_assert_uint_eq(trace_stats(trace)->spans, 9);
	fxtread_free(end());
	scratch_fini(&s);
}
END_TEST

SUITE_MAIN("trace/events", test_begin_and_end, test_inferred, test_signal, test_doubt, test_arrow,
	   test_source_lines, test_calls_and_clones, test_again, test_again_from_many_places,
	   test_again_when_strings_were_redefined, test_complete_and_counter, test_extra_event,
	   test_ptwrite, test_hits, test_drawn)
