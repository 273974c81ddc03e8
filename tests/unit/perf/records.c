/* SPDX-License-Identifier: MIT */
/* The bytes are written out by hand, from the format's description. */
#include "perf/records.h"

#include "support/perftext.h"
#include "support/suite.h"

static struct perftext p;

#define COOKIE 0x1122334455667788u
#define HELLO  "\n\xf8\x88\x77\x66\x55\x44\x33\x22\x11"
#define TIME   "\xf9\x00\x10\0\0\0\0\0\0"
#define THREAD "\xfa\x07\0\0\0\x08\0\0\0"
#define CALL   "\xfb\0\x03\0\0\0"
/* slot 1: f+0x20 in /x; slot 0x0201: no symbol */
#define PLACE_1 "\xfc\x01\x01\0\x20\x10\x40\0\0\0\0\0\x20\0\0\0\0\0\0\0\x01\0\x02\0f/x"
#define PLACE_2 "\xfc\0\x01\x02\x30\x10\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x02\0/x"
#define BRANCH  "\xfd\0\x05\0\x01\0\x01\x02"
#define TICK    "\xfe"
#define ALL     HELLO TIME THREAD CALL PLACE_1 PLACE_2
#define EVENT   "0.000004101 7/8 branch call 401020 f+0x20 (/x) => 401030 [unknown] (/x)\n"

/* The stream is read so, in pieces of each size; lost: lines and records not understood. */
static void reads(struct str stream, const char *want, uint64_t lost)
{
	for (size_t piece = 1; piece <= stream.n; piece++) {
		struct perftext_source source;
		struct event ev;
		char line[1000];
		int got;

		perftext_init(&p, PERF_PT);
		perf_text_input(p.text, perftext_input(&source, stream, piece));
		perf_text_records(p.text, COOKIE);
		while ((got = perf_text_next(p.text, &ev, NULL)) == 1) {
			event_print(line, sizeof(line), &ev, p.names);
			strcat(strcat(p.events, line), "\n");
		}
		ck_assert_int_eq(got, 0);
		ck_assert_str_eq(p.events, want);
		ck_assert_uint_eq(perf_text_stats(p.text)->lost, lost);
		perftext_fini(&p);
	}
}

START_TEST(test_branch)
{
	reads(STR(ALL BRANCH), EVENT, 0);
	reads(STR(ALL BRANCH BRANCH),
	      EVENT "0.000004106 7/8 branch call 401020 f+0x20 (/x) => 401030 [unknown] (/x)\n", 0);
}
END_TEST

START_TEST(test_text_between)
{
	reads(STR("Warning:\nof perf's\n" ALL BRANCH
		  " instruction trace error type 1 time 0.000004200 cpu 0 pid 7 tid 8 ip 0 code 8: "
		  "Lost\n7/8 0.000000001: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 0:0 0 0]: r-xp x\n" HELLO
			  BRANCH),
	      EVENT "0.000004200 7/8 error 8 at 0x0: Lost\n"
		    "0.000004106 7/8 branch call 401020 f+0x20 (/x) => 401030 [unknown] (/x)\n",
	      0);
}
END_TEST

/* A path that holds a newline and what looks like records is a path. */
START_TEST(test_odd_path)
{
	reads(STR(ALL
		  "7/8 0.000000001: PERF_RECORD_MMAP2 7/8: [0x1(0x1) @ 0 0:0 0 0]: r-xp x\n" BRANCH
			  BRANCH "/y\nz\n" HELLO BRANCH "what\n"),
	      EVENT, 1);
}
END_TEST

/* Behind text, what lacks the cookie is text. */
START_TEST(test_no_cookie)
{
	reads(STR(BRANCH "\n"), "", 1);
	reads(STR(ALL "text\n" BRANCH "\n" HELLO BRANCH), EVENT, 2);
	reads(STR("\n\xf8\x87\x77\x66\x55\x44\x33\x22\x11" BRANCH "\n"), "", 1);
}
END_TEST

/* A tick is the thread's own time, unless an error of the thread came since its last branch. */
START_TEST(test_tick)
{
#define ERROR(tid)                                                              \
	" instruction trace error type 1 time 0.000004096 cpu 0 pid 7 tid " tid \
	" ip 0 code 8: Lost\n"
	reads(STR(ALL TICK), "0.000004096 7/8 branch 0 [unknown] => 0 [unknown]\n", 0);
	reads(STR(ALL ERROR("8") HELLO TICK), "0.000004096 7/8 error 8 at 0x0: Lost\n", 0);
	reads(STR(ALL ERROR("9") HELLO TICK),
	      "0.000004096 7/9 error 8 at 0x0: Lost\n"
	      "0.000004096 7/8 branch 0 [unknown] => 0 [unknown]\n",
	      0);
	reads(STR(ALL ERROR("8") HELLO BRANCH TICK),
	      "0.000004096 7/8 error 8 at 0x0: Lost\n" EVENT
	      "0.000004101 7/8 branch 0 [unknown] => 0 [unknown]\n",
	      0);
}
END_TEST

/* Numbers that cannot be: the record is passed over as a line is, and what follows as well. */
START_TEST(test_bad_records)
{
	/* a time, ids, an index, flags that are no branch's */
	reads(STR(ALL "\xf9\0\0\0\0\0\0\0\x80" BRANCH "\n" HELLO BRANCH), EVENT, 2);
	reads(STR(ALL "\xf9\xff\xff\xff\xff\xff\xff\xff\x7f" BRANCH "\n"), "", 2);
	reads(STR(ALL "\xfa\xff\xff\xff\xff\x01\0\0\0\n" HELLO BRANCH), EVENT, 2);
	reads(STR(ALL "\xfa\x01\0\0\0\xff\xff\xff\xff\n" HELLO BRANCH), EVENT, 2);
	reads(STR(ALL "\xfb\x80\x03\0\0\0\n" HELLO BRANCH), EVENT, 2);
	reads(STR(ALL "\xfb\0\x02\0\0\0\n" HELLO), "", 2);
	reads(STR(ALL "\xfd\x80\x05\0\x01\0\x01\x02\n" HELLO BRANCH), EVENT, 2);
	/* a HELLO of somebody else among records */
	reads(STR(ALL "\xf8zzzzzzzz\n" HELLO BRANCH), EVENT, 2);
	/* garbage for an offset is no offset */
	reads(STR(ALL
		  "\xfc\x01\x01\0\x20\x10\x40\0\0\0\0\0\0\0\0\0\0\0\0\x40\x01\0\x02\0f/x" BRANCH),
	      "0.000004101 7/8 branch call 401020 f+0x0 (/x) => 401030 [unknown] (/x)\n", 0);
	/* slots and flags that were never sent: no place, no kind */
	reads(STR(HELLO "\xfd\x05\x05\0\x09\0\x08\0"),
	      "0.000000005 0/0 branch 0 [unknown] => 0 [unknown]\n", 0);
}
END_TEST

/* The stream ends in a record. */
START_TEST(test_cut)
{
	struct str whole = STR(ALL BRANCH);

	for (size_t n = whole.n - 7; n < whole.n; n++) {
		struct perftext_source source;
		struct event ev;

		perftext_init(&p, PERF_PT);
		perf_text_input(p.text, perftext_input(&source, (struct str){ whole.p, n }, 9));
		perf_text_records(p.text, COOKIE);
		ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 0);
		ck_assert(perf_text_stats(p.text)->cut);
		ck_assert(perf_text_has_records(p.text));
		perftext_fini(&p);
	}
}
END_TEST

/* The next stream knows nothing of the one before, nor takes records when there are to be none. */
START_TEST(test_next_stream)
{
	struct perftext_source source;
	struct event ev;

	perftext_init(&p, PERF_PT);
	perf_text_input(p.text, perftext_input(&source, STR(ALL BRANCH), 99));
	perf_text_records(p.text, COOKIE);
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 0);
	perf_text_input(p.text, perftext_input(&source, STR(HELLO BRANCH), 99));
	perf_text_records(p.text, COOKIE);
	ck_assert(!perf_text_has_records(p.text));
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert_int_eq(ev.pid, 0);
	ck_assert_int_eq(ev.time, 5);
	ck_assert_uint_eq(ev.branch.src.dso, INTERN_NONE);
	perf_text_input(p.text, perftext_input(&source, STR(ALL BRANCH "\n"), 99));
	ck_assert(!perf_text_has_records(p.text));
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 0);
	ck_assert(!perf_text_has_records(p.text));
	perftext_fini(&p);
}
END_TEST

static void name(void *ctx, int32_t pid, struct location *loc)
{
	struct perftext *text = ctx;

	ck_assert_int_eq(pid, 7);
	text->n_events++;
	loc->sym = intern_add(text->names, loc->off ? STR("named") : STR("here"));
}

/* Each place is named once; what is a line is not. */
START_TEST(test_namer)
{
	const char *line =
		"7/8 0.000000005: 1 branches: call 401020 f+0x20 (/x) => 401000 f+0x0 (/x)\n";
	struct perftext_source source;
	char text[400];
	struct str stream;
	struct event ev;
	size_t n = 0;

	memcpy(text, ALL BRANCH BRANCH, n = sizeof(ALL BRANCH BRANCH) - 1);
	memcpy(text + n, line, strlen(line));
	stream = (struct str){ .p = text, .n = n + strlen(line) };
	perftext_init(&p, PERF_PT);
	perf_text_namer(p.text, name, &p);
	perf_text_input(p.text, perftext_input(&source, stream, 99));
	perf_text_records(p.text, COOKIE);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
		ck_assert(ev.named);
		ck_assert_str_eq(intern_str(p.names, ev.branch.src.sym).p, "named");
		ck_assert_str_eq(intern_str(p.names, ev.branch.dst.sym).p, "here");
	}
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert(!ev.named);
	ck_assert_str_eq(intern_str(p.names, ev.branch.src.sym).p, "f");
	ck_assert_uint_eq(p.n_events, 2);
	perftext_fini(&p);
}
END_TEST

/* An offset of 2^62 counts as none, and is counted. */
START_TEST(test_bad_offset)
{
#define FAR "\xfc\x01\x01\0\x20\x10\x40\0\0\0\0\0\0\0\0\0\0\0\0\x40\x01\0\x02\0f/x"
	struct perftext_source source;
	struct event ev;

	perftext_init(&p, PERF_PT);
	perf_text_input(p.text, perftext_input(&source, STR(ALL BRANCH FAR BRANCH), 999));
	perf_text_records(p.text, COOKIE);
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert_uint_eq(perf_text_stats(p.text)->bad_offsets, 0);
	ck_assert_int_eq(perf_text_next(p.text, &ev, NULL), 1);
	ck_assert_uint_eq(ev.branch.src.off, 0);
	ck_assert_uint_eq(perf_text_stats(p.text)->bad_offsets, 1);
	perftext_fini(&p);
}
END_TEST

SUITE_MAIN("records", test_branch, test_text_between, test_odd_path, test_no_cookie, test_tick,
	   test_bad_records, test_cut, test_next_stream, test_namer, test_bad_offset)
