/* SPDX-License-Identifier: MIT */
#include "perf/lines.h"

#include "perf/text.h"
#include "support/perftext.h"
#include "support/suite.h"

static struct lines l;
static struct perftext_source source;

static void begin(struct str text, size_t piece)
{
	lines_input(&l, perftext_input(&source, text, piece));
}

static void next_is(struct str want)
{
	struct str line;

	ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_LINE);
	ck_assert_msg(str_eq(line, want), "'%.*s' is not '%.*s'", (int)line.n, line.p, (int)want.n,
		      want.p);
}

static void ends(void)
{
	struct str line;

	ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_END);
	ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_END);
}

START_TEST(test_lines_of_each_piece_size)
{
	struct str text = STR("one\n\n three \r\nfo\0ur\nfive\r\r\n\r\n");
	struct str want[] = { STR("one"),    STR(""),       STR(" three "),
			      STR("fo\0ur"), STR("five\r"), STR("") };

	lines_init(&l);
	for (size_t piece = 1; piece <= text.n; piece++) {
		begin(text, piece);
		for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
			next_is(want[i]);
		ends();
	}
	ck_assert(!l.cut);
	ck_assert_uint_eq(l.number, 6 * text.n);
	ck_assert_uint_eq(l.bytes, text.n * text.n);
	lines_fini(&l);
}
END_TEST

START_TEST(test_no_newline_at_the_end)
{
	lines_init(&l);
	begin(STR("a\nb"), 100);
	next_is(STR("a"));
	ck_assert(!l.cut);
	next_is(STR("b"));
	ends();
	ck_assert(l.cut);
	/* said of one text, not of the next */
	begin(STR("c\n"), 100);
	next_is(STR("c"));
	ends();
	ck_assert(!l.cut);
	lines_fini(&l);
}
END_TEST

START_TEST(test_nothing)
{
	lines_init(&l);
	ends();
	begin(STR(""), 100);
	ends();
	begin(STR("\n"), 100);
	next_is(STR(""));
	ends();
	ck_assert(!l.cut);
	ck_assert_uint_eq(l.number, 1);
	lines_fini(&l);
}
END_TEST

START_TEST(test_unread)
{
	lines_init(&l);
	begin(STR("a\nb\n"), 1);
	next_is(STR("a"));
	lines_unread(&l);
	next_is(STR("a"));
	ck_assert_uint_eq(l.number, 1);
	next_is(STR("b"));
	lines_unread(&l);
	/* another text drops what was put back */
	begin(STR("c\n"), 1);
	next_is(STR("c"));
	ends();
	lines_fini(&l);
}
END_TEST

START_TEST(test_failure)
{
	struct err err = ERR_INIT;
	struct str line;

	lines_init(&l);
	begin(STR("a\nb\nc\n"), 1);
	source.fail_at = 3;
	next_is(STR("a"));
	ck_assert_int_eq(lines_next(&l, &line, &err), LINES_ERROR);
	ck_assert_str_eq(err.msg, "made to fail");
	/* nothing is lost when reading succeeds again */
	source.fail_at = 0;
	next_is(STR("b"));
	next_is(STR("c"));
	ends();
	lines_fini(&l);
}
END_TEST

/* n bytes of c and a newline. */
static size_t put_line(char *p, char c, size_t n)
{
	memset(p, c, n);
	p[n] = '\n';
	return n + 1;
}

/* The longest line that is read, and one byte more. */
START_TEST(test_long_lines)
{
	char *text = malloc(6 * (size_t)PERF_LINE_MAX);
	size_t pieces[] = { 4096, 65536, 1 << 20, SIZE_MAX };

	lines_init(&l);
	for (size_t i = 0; i < 4; i++) {
		size_t n = 0;
		struct str line;

		n += put_line(text + n, 'a', 3);
		n += put_line(text + n, 'b', PERF_LINE_MAX);
		n += put_line(text + n, 'c', PERF_LINE_MAX + 1);
		n += put_line(text + n, 'd', 3);
		n += put_line(text + n, 'e', 2 * (size_t)PERF_LINE_MAX + 77);
		n += put_line(text + n, 'f', 0);
		begin((struct str){ .p = text, .n = n }, pieces[i]);
		l.number = 0;
		next_is(STR("aaa"));
		next_is((struct str){ .p = text + 4, .n = PERF_LINE_MAX });
		ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_LONG);
		ck_assert_uint_eq(line.n, LINES_SHOWN);
		ck_assert_int_eq(line.p[LINES_SHOWN - 1], 'c');
		ck_assert_uint_eq(l.number, 3);
		next_is(STR("ddd"));
		ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_LONG);
		ck_assert_int_eq(line.p[0], 'e');
		next_is(STR(""));
		ck_assert_uint_eq(l.number, 6);
		ends();
		ck_assert(!l.cut);
	}
	lines_fini(&l);
	free(text);
}
END_TEST

START_TEST(test_long_line_without_end)
{
	size_t n = 2 * (size_t)PERF_LINE_MAX;
	char *text = malloc(n);
	struct str line;

	memset(text, 'x', n);
	lines_init(&l);
	begin((struct str){ .p = text, .n = n }, 10000);
	ck_assert_int_eq(lines_next(&l, &line, NULL), LINES_LONG);
	ends();
	ck_assert(l.cut);
	ck_assert_uint_eq(l.number, 1);
	lines_fini(&l);
	free(text);
}
END_TEST

/* Many lines across many refills, each its own number. */
START_TEST(test_many_lines)
{
	size_t n = 0, lines = 200000;
	char *text = malloc(lines * 32), want[32];

	for (size_t i = 0; i < lines; i++)
		n += (size_t)sprintf(text + n, "%zu%.*s\n", i, (int)(i % 17), "................");
	lines_init(&l);
	for (size_t piece = 777; piece < 1000000; piece *= 9) {
		begin((struct str){ .p = text, .n = n }, piece);
		for (size_t i = 0; i < lines; i++) {
			struct str line;

			sprintf(want, "%zu%.*s", i, (int)(i % 17), "................");
			if (lines_next(&l, &line, NULL) != LINES_LINE ||
			    !str_eq(line, str_of(want)))
				ck_abort_msg("line %zu in pieces of %zu", i, piece);
		}
		ends();
	}
	lines_fini(&l);
	free(text);
}
END_TEST

/* What stands between lines is taken byte by byte, in pieces of each size. */
START_TEST(test_rest)
{
	struct str text = STR("one\nBINARY\n\ntwo\n"), rest;

	lines_init(&l);
	for (size_t piece = 1; piece <= text.n; piece++) {
		begin(text, piece);
		next_is(STR("one"));
		while (ck_assert(lines_rest(&l, &rest)), rest.n < 7)
			ck_assert_int_eq(lines_more(&l, NULL), 1);
		ck_assert_mem_eq(rest.p, "BINARY\n", 7);
		lines_take(&l, 7);
		next_is(STR(""));
		lines_unread(&l);
		ck_assert(!lines_rest(&l, &rest));
		next_is(STR(""));
		next_is(STR("two"));
		ck_assert_int_eq(lines_more(&l, NULL), 0);
		ck_assert(lines_rest(&l, &rest));
		ck_assert_uint_eq(rest.n, 0);
		ends();
	}
	lines_fini(&l);
}
END_TEST

SUITE_MAIN("lines", test_rest, test_lines_of_each_piece_size, test_no_newline_at_the_end,
	   test_nothing, test_unread, test_failure, test_long_lines, test_long_line_without_end,
	   test_many_lines)
