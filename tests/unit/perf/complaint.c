/* SPDX-License-Identifier: MIT */
#include "perf/complaint.h"

#include "support/suite.h"

#include <string.h>

static char got[20000]; /* the lines, each in brackets */

static void on_line(void *ctx, struct str line)
{
	size_t n = strlen(got);

	ck_assert_ptr_eq(ctx, got);
	got[n++] = '[';
	memcpy(got + n, line.p, line.n);
	n += line.n;
	strcpy(got + n, "]");
}

static struct complaints complaints(enum perf_mode mode)
{
	got[0] = '\0';
	return (struct complaints){ .mode = mode, .on_line = on_line, .ctx = got };
}

START_TEST(test_lines_of_each_piece_size)
{
	const char *text = "one\n\n  two \r\nthree";

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		struct complaints c = complaints(PERF_PT);

		for (size_t at = 0; at < strlen(text); at += piece)
			complaints_add(&c, text + at, strnlen(text + at, piece));
		ck_assert_str_eq(got, "[one][][  two ]");
		ck_assert_str_eq(c.last, "two");
		complaints_end(&c);
		complaints_end(&c);
		ck_assert_str_eq(got, "[one][][  two ][three]");
		ck_assert_str_eq(c.last, "three");
		ck_assert_ptr_null(c.hint);
	}
}
END_TEST

START_TEST(test_long_lines_are_cut)
{
	struct complaints c = complaints(PERF_PT);
	char big[3 * COMPLAINT_MAX];

	memset(big, 'x', sizeof(big));
	complaints_add(&c, big, sizeof(big));
	complaints_add(&c, "y\nnext\n", 7);
	ck_assert_uint_eq(strlen(got), COMPLAINT_MAX + 2 + 6);
	ck_assert_str_eq(got + COMPLAINT_MAX + 1, "][next]");
	complaints_add(&c, big, sizeof(big));
	complaints_end(&c);
	ck_assert_uint_eq(strlen(c.last), sizeof(c.last) - 1);
}
END_TEST

START_TEST(test_hints)
{
	const char *no_addr =
		"Samples for 'cpu-clock' event do not have ADDR attribute set. Cannot print 'addr' field.\n";
	struct complaints c = complaints(PERF_PT);

	complaints_add(&c, no_addr, strlen(no_addr));
	ck_assert_ptr_nonnull(strstr(c.hint, "-sampling"));
	c = complaints(PERF_SAMPLING);
	complaints_add(&c, no_addr, strlen(no_addr));
	ck_assert_ptr_null(c.hint);
	complaints_add(&c, "incompatible file format (rerun with -v to learn more)\nmore\n", 60);
	ck_assert_ptr_nonnull(strstr(c.hint, "perf.data"));
}
END_TEST

/* What perf 6.1 says of a file cut short, of an empty one, and of one that perf record left open.
 */
START_TEST(test_hints_on_damage)
{
	const char *cut = "0x4e40 [0]: failed to process type: 0 [Invalid argument]\n";
	const char *empty = "zero-sized data (perf.data), nothing to do!\n";
	const char *open =
		"WARNING: The perf.data file's data size field is 0 which is unexpected.\n";
	struct complaints c = complaints(PERF_SAMPLING);

	complaints_add(&c, cut, strlen(cut));
	ck_assert_ptr_nonnull(strstr(c.hint, "cut short"));
	c = complaints(PERF_PT);
	complaints_add(&c, empty, strlen(empty));
	ck_assert_ptr_nonnull(strstr(c.hint, "nothing"));
	c = complaints(PERF_PT);
	complaints_add(&c, open, strlen(open));
	ck_assert_ptr_nonnull(strstr(c.hint, "nothing"));
}
END_TEST

START_TEST(test_nobody_listens)
{
	struct complaints c = { .mode = PERF_PT };

	complaints_add(&c, "a\nb\n", 4);
	complaints_end(&c);
	ck_assert_str_eq(c.last, "b");
}
END_TEST

SUITE_MAIN("complaint", test_lines_of_each_piece_size, test_long_lines_are_cut, test_hints,
	   test_hints_on_damage, test_nobody_listens)
