/* SPDX-License-Identifier: MIT */
#include "perf/chain.h"

#include "support/perftext.h"
#include "support/suite.h"

static struct intern *names;
static struct places *places;
static struct lines lines;
static struct notes notes;
static struct chain chain;
static struct perftext_source source;

static void setup(void)
{
	names = intern_new(0);
	places = places_new(names);
	lines_init(&lines);
	memset(&notes, 0, sizeof(notes));
}

static void teardown(void)
{
	chain_fini(&chain);
	notes_fini(&notes);
	lines_fini(&lines);
	places_free(places);
	intern_free(names);
}

static void read_chain(struct str text)
{
	lines_input(&lines, perftext_input(&source, text, 5));
	ck_assert_int_eq(chain_read(&chain, &lines, places, &notes, NULL), 0);
}

static void frame_is(size_t i, uint64_t addr, const char *sym)
{
	ck_assert_uint_lt(i, chain.n);
	ck_assert_uint_eq(chain.v[i].addr, addr);
	ck_assert(str_eq(intern_str(names, chain.v[i].sym), str_of(sym)));
}

static void next_is(const char *want)
{
	struct str line;

	ck_assert_int_eq(lines_next(&lines, &line, NULL), LINES_LINE);
	ck_assert(str_eq(line, str_of(want)));
}

START_TEST(test_outermost_first)
{
	setup();
	read_chain(STR("\t         687bd57 check+0x7 (x)\n"
		       "\t    7f5c0c875a90 restore+0x151 (/usr/lib64/ld-2.28.so)\n"
		       "\tffffffffaf001100 [unknown] ([unknown])\n"
		       "\n"
		       "next\n"));
	ck_assert_uint_eq(chain.n, 3);
	ck_assert_uint_eq(chain.lines, 3);
	ck_assert_uint_eq(chain.v[0].addr, 0xffffffffaf001100);
	ck_assert_uint_eq(chain.v[0].sym, INTERN_NONE);
	frame_is(1, 0x7f5c0c875a90, "restore");
	frame_is(2, 0x687bd57, "check");
	next_is("");
	next_is("next");
	ck_assert_uint_eq(notes.n, 0);
	teardown();
}
END_TEST

START_TEST(test_ends)
{
	setup();
	/* an empty chain; no blank line; the end of the text */
	read_chain(STR("\n\t 1 f+0x0 (x)\n"));
	ck_assert_uint_eq(chain.n, 0);
	ck_assert_uint_eq(chain.lines, 0);
	read_chain(STR("\t 1 f+0x0 (x)\n1/2 3.4: cycles: \n"));
	ck_assert_uint_eq(chain.n, 1);
	next_is("1/2 3.4: cycles: ");
	read_chain(STR("\t 1 f+0x0 (x)\n\t 2 g+0x0 (x)"));
	ck_assert_uint_eq(chain.n, 2);
	frame_is(0, 2, "g");
	ck_assert(lines.cut);
	read_chain(STR(""));
	ck_assert_uint_eq(chain.n, 0);
	teardown();
}
END_TEST

START_TEST(test_bad_frames_are_left_out)
{
	setup();
	read_chain(STR("\t 1 f+0x0 (x)\n\tgarbage\n\t 2 g+0x0 (x)\n\t\n"));
	ck_assert_uint_eq(chain.n, 2);
	ck_assert_uint_eq(chain.lines, 4);
	frame_is(0, 2, "g");
	frame_is(1, 1, "f");
	ck_assert_uint_eq(notes.lost, 2);
	ck_assert_uint_eq(notes.v[0].line, 2);
	teardown();
}
END_TEST

/* Other field lists indent frames with spaces. */
START_TEST(test_spaces)
{
	setup();
	read_chain(
		STR("                  40139f hot_func(int)+0x0 (/path/poc_off_cpu)\n"
		    "            7f165b22b12e __libc_start_call_main+0x80 (/usr/lib64/libc.so.6)\n"
		    " 126689/126689  87110.203287199:          1  psb:   psb offs: 0\n"));
	ck_assert_uint_eq(chain.n, 2);
	frame_is(1, 0x40139f, "hot_func(int)");
	next_is(" 126689/126689  87110.203287199:          1  psb:   psb offs: 0");
	/* a command whose name looks like an address */
	read_chain(STR("    1 f+0x0 (x)\n"
		       "   cafe 18436 [007] 10897.9:  branches:  1 f+0x1 (x) => 2 g+0x2 (x)\n"));
	ck_assert_uint_eq(chain.n, 1);
	teardown();
}
END_TEST

START_TEST(test_is_frame)
{
	ck_assert(chain_is_frame(STR("\t")));
	ck_assert(chain_is_frame(STR("\t 1 f")));
	ck_assert(chain_is_frame(STR("  1 f")));
	ck_assert(!chain_is_frame(STR("")));
	ck_assert(!chain_is_frame(STR(" ")));
	ck_assert(!chain_is_frame(STR("1 f")));
	ck_assert(!chain_is_frame(STR("  1/2 3.4: x:")));
	ck_assert(!chain_is_frame(STR("  1")));
	ck_assert(!chain_is_frame(STR(" instruction trace error")));
	ck_assert(!chain_is_frame(STR("  main 1 f")));
}
END_TEST

/* The innermost frames are kept. */
START_TEST(test_too_deep)
{
	size_t n = 0, frames = PERF_CHAIN_MAX + 10;
	char *text = malloc(frames * 32);

	setup();
	for (size_t i = 0; i < frames; i++)
		n += (size_t)sprintf(text + n, "\t %zx f+0x0 (x)\n", i);
	for (int i = 0; i < 2; i++) {
		lines_input(&lines, perftext_input(&source, (struct str){ text, n }, 100000));
		ck_assert_int_eq(chain_read(&chain, &lines, places, &notes, NULL), 0);
		ck_assert_uint_eq(chain.lines, frames);
	}
	ck_assert_uint_eq(chain.n, PERF_CHAIN_MAX);
	ck_assert_uint_eq(chain.v[0].addr, PERF_CHAIN_MAX - 1);
	ck_assert_uint_eq(chain.v[PERF_CHAIN_MAX - 1].addr, 0);
	/* one note a stack, and no line that is not understood */
	ck_assert_uint_eq(notes.n, 1);
	ck_assert_int_eq(notes.v[0].kind, PERF_NOTE_DEEP);
	ck_assert_uint_eq(notes.v[0].count, 2);
	ck_assert_uint_eq(notes.v[0].line, PERF_CHAIN_MAX + 1);
	ck_assert_uint_eq(notes.lost, 0);
	free(text);
	teardown();
}
END_TEST

START_TEST(test_failure)
{
	struct err err = ERR_INIT;

	setup();
	lines_input(&lines, perftext_input(&source, STR("\t 1 f+0x0 (x)\n\t 2 g"), 5));
	source.fail_at = 10;
	ck_assert_int_eq(chain_read(&chain, &lines, places, &notes, &err), -1);
	ck_assert_str_eq(err.msg, "made to fail");
	teardown();
}
END_TEST

START_TEST(test_set)
{
	struct location place = { .addr = 5 };

	setup();
	read_chain(STR("\t 1 f+0x0 (x)\n\t 2 g+0x0 (x)\n"));
	chain_set(&chain, &place);
	ck_assert_uint_eq(chain.n, 1);
	ck_assert_uint_eq(chain.v[0].addr, 5);
	teardown();
}
END_TEST

SUITE_MAIN("chain", test_outermost_first, test_ends, test_bad_frames_are_left_out, test_spaces,
	   test_is_frame, test_too_deep, test_failure, test_set)
