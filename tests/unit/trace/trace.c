/* SPDX-License-Identifier: MIT */
#include "trace/trace.h"

#include "base/xalloc.h"
#include "support/fxtread.h"
#include "support/suite.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

static struct scratch s;
static struct err err;
static struct intern *names;
static struct trace *trace;
static struct trace_stats stats;
static struct span_sink sink;

static int try_open(const char *name)
{
	struct trace_options options = { .path = scratch_path(&s, name), .names = names };

	err = (struct err)ERR_INIT;
	return trace_open(&options, &trace, &err);
}

static void begin(const char *name)
{
	scratch_init(&s);
	names = intern_new(0);
	ck_assert_msg(try_open(name) == 0, "%s", err.msg);
	sink = trace_sink(trace);
}

static void finish(void)
{
	ck_assert_msg(trace_finish(trace, &stats, &err) == 0, "%s", err.msg);
}

static void end(void)
{
	intern_free(names);
	scratch_fini(&s);
}

static void give(enum span_kind kind, uint32_t track, int64_t time, const char *name)
{
	struct span span = { .kind = (uint8_t)kind,
			     .track = track,
			     .time = time,
			     .name = intern_add(names, str_of(name)) };

	sink.span(sink.ctx, &span);
}

static uint32_t thread(int32_t pid, int32_t tid)
{
	return sink.track(sink.ctx, &(struct track_key){ .pid = pid, .tid = tid });
}

START_TEST(test_check_path)
{
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(trace_check_path("trace.fxt.gz", &err), 0);
	ck_assert_int_eq(trace_check_path("/dev/null", &err), 0);
	ck_assert_int_eq(trace_check_path("trace.json", &err), -1);
	ck_assert_str_ne(err.msg, "");
	ck_assert_str_ne(err.hint, "");
}
END_TEST

START_TEST(test_empty_trace)
{
	struct fxtread_event ev;
	struct fxtread *r;

	begin("a.fxt");
	finish();
	r = fxtread_open(scratch_path(&s, "a.fxt"));
	ck_assert(!fxtread_next(r, &ev));
	ck_assert_uint_eq(r->ticks, 1000000000);
	ck_assert_uint_eq(r->init_words, 2);
	ck_assert_uint_eq(stats.spans, 0);
	ck_assert_uint_eq(stats.raw_bytes, r->size);
	ck_assert_uint_eq(stats.file_bytes, r->size);
	fxtread_free(r);
	end();
}
END_TEST

START_TEST(test_wall_clock)
{
	struct fxtread_event ev;
	struct fxtread *r;

	begin("a.fxt");
	trace_wall_clock(trace, 1700000000123456789);
	give(SPAN_BEGIN, thread(1, 1), 5, "main");
	finish();
	r = fxtread_open(scratch_path(&s, "a.fxt"));
	ck_assert(fxtread_next(r, &ev));
	ck_assert_uint_eq(r->init_words, 4);
	ck_assert_uint_eq(r->base_tick, 0);
	ck_assert_uint_eq(r->base_time, 1700000000123456789);
	fxtread_free(r);
	end();
}
END_TEST

/* The same spans in each of the three forms, read by other programs. */
START_TEST(test_compressed_forms)
{
	static const char *const forms[] = { "a.fxt", "b.fxt.gz", "c.fxt.zst" };
	uint64_t raw = 0;
	struct stat st;
	uint32_t track;
	int i, k;

	scratch_init(&s);
	for (i = 0; i < 3; i++) {
		names = intern_new(0);
		ck_assert_int_eq(try_open(forms[i]), 0);
		sink = trace_sink(trace);
		track = thread(1, 1);
		for (k = 0; k < 100000; k++)
			give(k % 2 ? SPAN_END : SPAN_BEGIN, track, k, "main");
		finish();
		ck_assert_int_eq(stat(scratch_path(&s, forms[i]), &st), 0);
		ck_assert_uint_eq(stats.file_bytes, (uint64_t)st.st_size);
		raw = i ? raw : stats.raw_bytes;
		ck_assert_uint_eq(stats.raw_bytes, raw);
		intern_free(names);
	}
	ck_assert_int_eq(scratch_run(&s, "gunzip -c b.fxt.gz | cmp - a.fxt"), 0);
	if (scratch_run(&s, "command -v zstd >/dev/null") == 0)
		ck_assert_int_eq(scratch_run(&s, "zstd -dc c.fxt.zst | cmp - a.fxt"), 0);
	else
		printf("SKIP part of test_compressed_forms: no zstd\n");
	scratch_fini(&s);
}
END_TEST

START_TEST(test_same_input_same_bytes)
{
	int i, k;

	scratch_init(&s);
	for (i = 0; i < 2; i++) {
		names = intern_new(0);
		ck_assert_int_eq(try_open(i ? "b.fxt.gz" : "a.fxt.gz"), 0);
		sink = trace_sink(trace);
		for (k = 0; k < 200000; k++) {
			char name[16];

			snprintf(name, sizeof(name), "f%d", k * 7 % 50000);
			give(SPAN_BEGIN, thread(1, 1 + k % 400), k, name);
		}
		finish();
		intern_free(names);
	}
	ck_assert_int_eq(scratch_run(&s, "cmp a.fxt.gz b.fxt.gz"), 0);
	scratch_fini(&s);
}
END_TEST

/* Each thread calls its own functions: nothing is mixed up when all indexes are recycled. */
START_TEST(test_many_threads_and_names)
{
	struct fxtread_event ev;
	struct fxtread *r;
	char name[32];
	uint32_t i;

	begin("a.fxt");
	for (i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "f%u of %u", i / 2, i % 1000);
		give(i % 3 ? SPAN_BEGIN : SPAN_END, thread(7, 100 + (int32_t)(i % 1000)), i, name);
	}
	finish();
	ck_assert_uint_eq(stats.spans, 200000);
	ck_assert_uint_gt(stats.redefined, 100000);
	r = fxtread_open(scratch_path(&s, "a.fxt"));
	for (i = 0; fxtread_next(r, &ev); i++) {
		snprintf(name, sizeof(name), "f%u of %u", i / 2, i % 1000);
		fxtread_check(ev.time == i && fxtread_is(ev.name, name));
		fxtread_check(ev.process == 7 && ev.thread == 100 + i % 1000);
		fxtread_check(i % 3 == 0 || fxtread_is(fxtread_arg(&ev, "symbol")->text, name));
	}
	ck_assert_uint_eq(i, 200000);
	ck_assert_uint_eq(r->redefined, stats.redefined);
	fxtread_free(r);
	end();
}
END_TEST

START_TEST(test_old_file_is_kept)
{
	begin("a.fxt");
	scratch_put(&s, "a.fxt", "old");
	scratch_put(&s, "a.fxt.old", "older");
	give(SPAN_BEGIN, thread(1, 1), 5, "main");
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	finish();
	ck_assert(!scratch_holds(&s, "a.fxt", "old"));
	ck_assert(scratch_holds(&s, "a.fxt.old", "old"));
	ck_assert_uint_eq(scratch_count(&s), 2);
	end();
}
END_TEST

START_TEST(test_abort_leaves_all)
{
	begin("a.fxt.gz");
	scratch_put(&s, "a.fxt.gz", "old");
	give(SPAN_BEGIN, thread(1, 1), 5, "main");
	ck_assert_uint_eq(trace_stats(trace)->spans, 1);
	trace_abort(trace);
	ck_assert(scratch_holds(&s, "a.fxt.gz", "old"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	end();
}
END_TEST

START_TEST(test_disk_full)
{
	uint32_t track, i;

	scratch_init(&s);
	names = intern_new(0);
	ck_assert_int_eq(symlink("/dev/full", scratch_path(&s, "a.fxt")), 0);
	ck_assert_int_eq(try_open("a.fxt"), 0);
	sink = trace_sink(trace);
	track = thread(1, 1);
	ck_assert_int_eq(trace_error(trace, &err), 0);
	/* More than all blocks together hold: the writer has had to wait for the failure. */
	for (i = 0; i < 1000000; i++)
		give(SPAN_BEGIN, track, i, "main");
	ck_assert_int_eq(trace_error(trace, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	err = (struct err)ERR_INIT;
	ck_assert_int_eq(trace_finish(trace, NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(ENOSPC)));
	ck_assert_ptr_nonnull(strstr(err.hint, "space"));
	end();
}
END_TEST

/* A reader of a pipe without a suffix gets plain FXT; the pipe stays one. */
START_TEST(test_pipe_without_a_suffix)
{
	struct fxtread_event ev;
	struct fxtread *r;
	struct stat st;

	scratch_init(&s);
	names = intern_new(0);
	ck_assert_int_eq(mkfifo(scratch_path(&s, "pipe"), 0600), 0);
	ck_assert_int_eq(scratch_run(&s, "cat pipe >out.tmp && mv out.tmp out.fxt &"), 0);
	ck_assert_msg(try_open("pipe") == 0, "%s", err.msg);
	sink = trace_sink(trace);
	give(SPAN_BEGIN, thread(1, 1), 5, "main");
	finish();
	ck_assert_int_eq(scratch_run(&s, "until [ -e out.fxt ]; do sleep 0.01; done"), 0);
	r = fxtread_open(scratch_path(&s, "out.fxt"));
	ck_assert(fxtread_next(r, &ev));
	ck_assert_uint_eq(ev.time, 5);
	ck_assert(fxtread_is(ev.name, "main"));
	ck_assert_uint_eq(stats.file_bytes, r->size);
	ck_assert_int_eq(lstat(scratch_path(&s, "pipe"), &st), 0);
	ck_assert(S_ISFIFO(st.st_mode));
	fxtread_free(r);
	end();
}
END_TEST

/* A limit on the size of files: the error comes in the middle of a regular one. */
START_TEST(test_file_too_large)
{
	struct rlimit limit = { .rlim_cur = 300000, .rlim_max = RLIM_INFINITY };
	uint32_t track, i;

	signal(SIGXFSZ, SIG_IGN);
	begin("a.fxt");
	scratch_put(&s, "a.fxt", "old");
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	track = thread(1, 1);
	for (i = 0; i < 20000; i++)
		give(SPAN_BEGIN, track, i, "main");
	ck_assert_int_eq(trace_finish(trace, &stats, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, strerror(EFBIG)));
	ck_assert(scratch_holds(&s, "a.fxt", "old"));
	ck_assert_uint_eq(scratch_count(&s), 1);
	end();
}
END_TEST

START_TEST(test_bad_paths)
{
	scratch_init(&s);
	names = intern_new(0);
	ck_assert_int_eq(try_open("none/a.fxt"), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "there is no directory"));
	ck_assert_int_eq(try_open("a.txt"), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, ".fxt.gz"));
	ck_assert_int_eq(mkdir(scratch_path(&s, "d.fxt"), 0777), 0);
	ck_assert_int_eq(try_open("d.fxt"), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "it is a directory"));
	end();
}
END_TEST

/* What a signal handler does: no temporary file is left, if it had a name, nor does the final one
 * appear. */
START_TEST(test_unlink_temporary)
{
	trace_unlink_temporary();
	begin("a.fxt");
	ck_assert(!scratch_has(&s, "a.fxt"));
	trace_unlink_temporary();
	ck_assert_uint_eq(scratch_count(&s), 0);
	trace_abort(trace);
	end();
}
END_TEST

/* In the steady state nothing is allocated, recycled names and threads included. */
START_TEST(test_no_allocation_a_span)
{
	uint32_t tracks[600], ids[40000], i;
	struct span span = { 0 };
	size_t before = 0;
	char name[16];

	begin("a.fxt.gz");
	for (i = 0; i < 600; i++)
		tracks[i] = thread(1, 1 + (int32_t)i);
	for (i = 0; i < 40000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		ids[i] = intern_add(names, str_of(name));
	}
	for (i = 0; i < 300000; i++) {
		if (i == 100000)
			before = xalloc_count();
		span.kind = i % 2 ? SPAN_END : SPAN_BEGIN;
		span.name = i % 5 ? ids[i % 40000] : INTERN_NONE;
		span.dso = ids[0];
		span.addr = i % 50000;
		span.track = tracks[i % 600];
		sink.span(sink.ctx, &span);
	}
	ck_assert_uint_eq(xalloc_count(), before);
	trace_abort(trace);
	end();
}
END_TEST

SUITE_MAIN("trace/trace", test_check_path, test_empty_trace, test_wall_clock, test_compressed_forms,
	   test_same_input_same_bytes, test_many_threads_and_names, test_old_file_is_kept,
	   test_abort_leaves_all, test_disk_full, test_pipe_without_a_suffix, test_file_too_large,
	   test_bad_paths, test_unlink_temporary, test_no_allocation_a_span)
