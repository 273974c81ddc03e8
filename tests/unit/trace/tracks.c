/* SPDX-License-Identifier: MIT */
#include "trace/tracks.h"

#include "support/fxtread.h"
#include "support/suite.h"
#include "trace/strings.h"

#include <inttypes.h>

#define PID_MAX (UINT64_C(1) << 22) /* PID_MAX_LIMIT of the kernel, for 64 bits */

static struct scratch s;
static struct err err;
static struct output *out;
static struct fxt fxt;
static struct intern *names;
static struct trace_stats stats;
static struct strings *strings;
static struct trace_options options;
static struct tracks tracks;

static char big[33001];

static const char *command_line(void *ctx, int32_t pid)
{
	(void)ctx;
	ck_assert_int_gt(pid, 0);
	if (pid == 300)
		return big;
	return pid == 100 ? "prog -x \xe9 y" : pid == 200 ? "" : NULL;
}

static const char *comm(void *ctx, int32_t pid, int32_t tid)
{
	(void)ctx;
	(void)pid;
	ck_assert_int_gt(tid, 0);
	return tid == 101 ? "worker" : tid == 102 ? "" : tid == 300 ? big : NULL;
}

static void begin(void)
{
	scratch_init(&s);
	ck_assert_int_eq(output_open(scratch_path(&s, "a.fxt"), &out, &err), 0);
	fxt_init(&fxt, out);
	names = intern_new(0);
	stats = (struct trace_stats){ 0 };
	options = (struct trace_options){ .names = names };
	strings = strings_new(&fxt, names, NULL, &stats);
	fxt_file_header(&fxt, STR("magic-trace"), NULL);
	strings_write_fixed(strings);
	tracks_init(&tracks, &fxt, &options, &stats);
}

static void with_names(void)
{
	options.command_line = command_line;
	options.comm = comm;
}

static struct fxtread *end(void)
{
	uint64_t bytes;

	tracks_fini(&tracks);
	strings_free(strings);
	intern_free(names);
	ck_assert_int_eq(output_finish(out, (size_t)(fxt.p - fxt.block), &bytes, &err), 0);
	return fxtread_open(scratch_path(&s, "a.fxt"));
}

static uint32_t add(enum track_kind kind, int32_t pid, int32_t tid, uint32_t event)
{
	return tracks_add(&tracks, &(struct track_key){ kind, pid, tid, event });
}

/* An event on a track. */
static void use(uint32_t track)
{
	uint8_t index = tracks_index(&tracks, track);
	struct fxt_event ev =
		fxt_event_begin(&fxt, FXT_INSTANT, index, FIXED_CATEGORY, FIXED_TRUE, track);

	fxt_event_end(&fxt, &ev);
}

static void use_thread(int32_t pid, int32_t tid)
{
	use(add(TRACK_THREAD, pid, tid, 0));
}

static struct fxtread_event next(struct fxtread *r)
{
	struct fxtread_event ev;

	ck_assert(fxtread_next(r, &ev));
	return ev;
}

/* The next event's track: the names of its process and its thread. */
static struct fxtread_event expect(struct fxtread *r, const char *process, const char *thread)
{
	struct fxtread_event ev = next(r);
	struct str p = fxtread_name(r, 1, ev.process), t = fxtread_name(r, 2, ev.thread);

	ck_assert_msg(fxtread_is(p, process), "%.*s, not %s", (int)p.n, p.p, process);
	ck_assert_msg(fxtread_is(t, thread), "%.*s, not %s", (int)t.n, t.p, thread);
	return ev;
}

/* Each process and each thread has been named once, and no koid means two of a kind. */
static void expect_end(struct fxtread *r)
{
	struct fxtread_event ev;
	size_t i, j;

	ck_assert(!fxtread_next(r, &ev));
	for (i = 0; i < r->n_objects; i++)
		for (j = 0; j < i; j++)
			fxtread_check(r->objects[i].type != r->objects[j].type ||
				      r->objects[i].koid != r->objects[j].koid);
	fxtread_free(r);
	scratch_fini(&s);
}

START_TEST(test_names)
{
	struct fxtread_event ev;
	struct fxtread *r;

	begin();
	with_names();
	use_thread(100, 100);
	use_thread(100, 101);
	use_thread(100, 102);
	use_thread(200, 201);
	use_thread(400, 400);
	r = end();
	ev = expect(r, "prog -x \xef\xbf\xbd y [pid=100]", "main");
	ck_assert_uint_eq(ev.process, 100);
	ck_assert_uint_eq(ev.thread, 100);
	ev = expect(r, "prog -x \xef\xbf\xbd y [pid=100]", "worker [tid=101]");
	ck_assert_uint_eq(ev.process, 100);
	ck_assert_uint_eq(ev.thread, 101);
	expect(r, "prog -x \xef\xbf\xbd y [pid=100]", "[tid=102]");
	expect(r, "[pid=200]", "[tid=201]");
	expect(r, "[pid=400]", "main");
	ck_assert_uint_eq(stats.bad_utf8, 1);
	expect_end(r);
}
END_TEST

/* Times that are those of no clock are not to be taken for such. */
START_TEST(test_clock)
{
	struct fxtread *r;

	begin();
	with_names();
	options.clock = "virtual time";
	use_thread(100, 101);
	use_thread(400, 400);
	r = end();
	expect(r, "prog -x \xef\xbf\xbd y [pid=100] [virtual time]",
	       "worker [tid=101] [virtual time]");
	expect(r, "[pid=400] [virtual time]", "main");
	expect_end(r);
}
END_TEST

START_TEST(test_nothing_known)
{
	struct fxtread *r;

	begin();
	use_thread(100, 100);
	use_thread(100, 101);
	r = end();
	expect(r, "[pid=100]", "main");
	expect(r, "[pid=100]", "[tid=101]");
	expect_end(r);
}
END_TEST

/* 32,000 bytes with its " [pid=N]" is the longest name of a process; a thread's is cut. */
START_TEST(test_long_names)
{
	struct fxtread_event ev;
	struct fxtread *r;
	struct str name;
	size_t n;

	for (n = 32000 - 10; n <= 32000 - 9; n++) {
		memset(big, 'c', sizeof(big) - 1);
		big[n] = '\0';
		begin();
		with_names();
		use_thread(300, 301);
		ck_assert_uint_eq(stats.cut_names, n == 32000 - 9);
		r = end();
		ev = next(r);
		name = fxtread_name(r, 1, ev.process);
		if (n == 32000 - 10) {
			ck_assert_uint_eq(name.n, 32000);
			ck_assert_int_eq(memcmp(name.p + n - 1, "c [pid=300]", 11), 0);
		} else {
			ck_assert(fxtread_is(name, "[pid=300]"));
		}
		expect_end(r);
	}
	begin();
	with_names();
	use_thread(500, 300);
	ck_assert_uint_eq(stats.cut_names, 1);
	r = end();
	ev = next(r);
	name = fxtread_name(r, 2, ev.thread);
	ck_assert_uint_eq(name.n, 32000);
	ck_assert_int_eq(memcmp(name.p + 32000 - 14, "c\xe2\x80\xa6 [tid=300]", 14), 0);
	expect_end(r);
}
END_TEST

START_TEST(test_same_key_same_track)
{
	uint32_t a, b, c;

	begin();
	a = add(TRACK_THREAD, 1, 2, 0);
	b = add(TRACK_EXTRA, 1, 2, 7);
	c = add(TRACK_HITS, 1, 2, 0);
	ck_assert_uint_ne(a, b);
	ck_assert_uint_ne(a, c);
	ck_assert_uint_ne(b, c);
	ck_assert_uint_eq(add(TRACK_THREAD, 1, 2, 9), a); /* the event does not matter */
	ck_assert_uint_eq(add(TRACK_EXTRA, 1, 3, 7), b);  /* the tid does not matter */
	ck_assert_uint_eq(add(TRACK_HITS, 3, 4, 5), c);   /* none matters */
	ck_assert_uint_ne(add(TRACK_EXTRA, 1, 2, 8), b);
	ck_assert_uint_ne(add(TRACK_EXTRA, 2, 2, 7), b);
	ck_assert_uint_ne(add(TRACK_THREAD, 2, 2, 0), a);
	expect_end(end());
}
END_TEST

START_TEST(test_tracks_without_a_number)
{
	struct fxtread_event ev, other;
	struct fxtread *r;

	begin();
	with_names();
	use_thread(0, 0);
	use_thread(0, 7);
	use_thread(100, 0);
	use_thread(-1, 7);
	use(add(TRACK_EXTRA, 100, 100, intern_add(names, STR("branch-misses"))));
	use(add(TRACK_EXTRA, 0, 0, intern_add(names, STR("branch-\xff"))));
	use(add(TRACK_HITS, 0, 0, 0));
	r = end();
	ev = expect(r, "[pid=?]", "[tid=?]");
	ck_assert_uint_gt(ev.process, PID_MAX);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	other = expect(r, "[pid=?]", "[tid=7]");
	ck_assert_uint_eq(other.process, ev.process);
	ev = expect(r, "prog -x \xef\xbf\xbd y [pid=100]", "[tid=?]");
	ck_assert_uint_eq(ev.process, 100);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	/* Another key is another track: the stacks of the two must not mix. */
	ev = expect(r, "[pid=?]", "[tid=7]");
	ck_assert_uint_eq(ev.process, other.process);
	ck_assert_uint_ne(ev.thread, other.thread);
	ev = expect(r, "prog -x \xef\xbf\xbd y [pid=100]", "branch-misses");
	ck_assert_uint_eq(ev.process, 100);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	expect(r, "[pid=?]", "branch-\xef\xbf\xbd");
	ev = expect(r, "Snapshot symbol hits", "hits");
	ck_assert_uint_gt(ev.process, PID_MAX);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	expect_end(r);
}
END_TEST

/* A thread whose process is not known does not take its number from the one that has a process. */
START_TEST(test_unknown_process_claims_no_number)
{
	struct fxtread_event ev;
	struct fxtread *r;

	begin();
	use_thread(0, 7);
	use_thread(8, 7);
	r = end();
	ev = expect(r, "[pid=?]", "[tid=7]");
	ck_assert_uint_gt(ev.process, PID_MAX);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	ev = expect(r, "[pid=8]", "[tid=7]");
	ck_assert_uint_eq(ev.process, 8);
	ck_assert_uint_eq(ev.thread, 7);
	expect_end(r);
}
END_TEST

/* What cannot be on one machine at one time can be in a text, or in a long recording. */
START_TEST(test_collisions)
{
	struct fxtread_event first, ev;
	struct fxtread *r;

	begin();
	use_thread(1, 5);
	use_thread(2, 5);
	use_thread(5, 5);
	use_thread(5, 6);
	use_thread(7, 1);
	r = end();
	first = expect(r, "[pid=1]", "[tid=5]");
	ck_assert_uint_eq(first.process, 1);
	ck_assert_uint_eq(first.thread, 5);
	ev = expect(r, "[pid=2]", "[tid=5]");
	ck_assert_uint_eq(ev.process, 2);
	ck_assert_uint_gt(ev.thread, PID_MAX);
	/* Viewers give each process a thread of its own number, so 5 cannot be a process now. */
	first = expect(r, "[pid=5]", "main");
	ck_assert_uint_gt(first.process, PID_MAX);
	ck_assert_uint_gt(first.thread, PID_MAX);
	ev = expect(r, "[pid=5]", "[tid=6]");
	ck_assert_uint_eq(ev.process, first.process);
	ck_assert_uint_eq(ev.thread, 6);
	ev = expect(r, "[pid=7]", "[tid=1]");
	ck_assert_uint_gt(ev.thread, PID_MAX);
	expect_end(r);
}
END_TEST

/* Numbers that no kernel gives lie where ours are made up: before and after we do so. */
START_TEST(test_senseless_numbers)
{
	const int32_t base = 1 << 22;
	struct fxtread *r;
	struct fxtread_event ev;
	uint64_t seen[64];
	size_t n = 0, i, j;

	begin();
	for (i = 0; i < 8; i++)
		use_thread(base + 1 + 2 * (int32_t)i, base + 2 + 2 * (int32_t)i);
	for (i = 0; i < 8; i++)
		use_thread((int32_t)i + 1, 0);
	for (i = 0; i < 8; i++)
		use_thread(base + 17 + (int32_t)i, base + 17 + (int32_t)i);
	use_thread(INT32_MAX, INT32_MAX);
	use_thread(INT32_MIN, INT32_MIN);
	r = end();
	while (fxtread_next(r, &ev))
		seen[n++] = ev.thread;
	ck_assert_uint_eq(n, 26);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(seen[i], seen[j]);
	expect_end(r);
}
END_TEST

#define MANY 1000u

/*
 * Far more threads than thread indexes, in turn and each several times; one is always used, and
 * loses its index once at most (see the same test of strings).
 */
START_TEST(test_more_threads_than_indexes)
{
	uint32_t hot, numbers[MANY], i, lost = 0;
	struct fxtread_event ev;
	struct fxtread *r;
	uint8_t hot_index;

	begin();
	hot = add(TRACK_THREAD, 1, 1, 0);
	hot_index = tracks_index(&tracks, hot);
	for (i = 0; i < MANY; i++)
		numbers[i] = add(TRACK_THREAD, 2 + (int32_t)(i % 3), 100 + (int32_t)i, 0);
	for (i = 0; i < 3 * MANY; i++) {
		use(numbers[i % MANY]);
		use(hot);
		lost += tracks_known_index(&tracks, hot) != hot_index;
		hot_index = tracks_known_index(&tracks, hot);
	}
	ck_assert_uint_le(lost, 1);
	r = end();
	for (i = 0; i < 3 * MANY; i++) {
		ev = next(r);
		fxtread_check(ev.process == 2 + i % MANY % 3);
		fxtread_check(ev.thread == 100 + i % MANY);
		ev = next(r);
		fxtread_check(ev.process == 1 && ev.thread == 1);
	}
	ck_assert_uint_eq(r->n_objects, 4 + MANY + 1);
	ck_assert_uint_gt(r->thread_redefined, MANY);
	expect_end(r);
}
END_TEST

/* A track that has no event leaves nothing in the file. */
START_TEST(test_unused_track)
{
	struct fxtread *r;

	begin();
	add(TRACK_THREAD, 1, 1, 0);
	add(TRACK_HITS, 0, 0, 0);
	r = end();
	expect_end(r);
}
END_TEST

SUITE_MAIN("trace/tracks", test_names, test_clock, test_nothing_known, test_long_names,
	   test_same_key_same_track, test_tracks_without_a_number,
	   test_unknown_process_claims_no_number, test_collisions, test_senseless_numbers,
	   test_more_threads_than_indexes, test_unused_track)
