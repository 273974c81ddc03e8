/* SPDX-License-Identifier: MIT */
#include "cli/fastpath.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct console console;
static struct settings settings;
static struct options options = OPTIONS_INIT;
static struct fastpath fast;
static char said[1000];
static char filter[600];

static void say(void *ctx, struct str line)
{
	(void)ctx;
	strcat(strncat(said, line.p, line.n), "|");
}

/* Whether a filter lies beside this program. */
static void put_filter(bool there)
{
	char own[500], *slash;
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	FILE *f;

	ck_assert_int_gt(n, 0);
	own[n] = '\0';
	slash = strrchr(own, '/');
	slash[1] = '\0';
	snprintf(filter, sizeof(filter), "%smagic-trace-dlfilter.so", own);
	unlink(filter);
	if (!there)
		return;
	f = fopen(filter, "w");
	ck_assert_ptr_nonnull(f);
	fclose(f);
}

/* Opens it with the console in a pipe; what the console has got. */
static const char *opened(void)
{
	static char text[2000];
	ssize_t n;
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	console_init(&console, fds[1]);
	fastpath_open(&fast, &console, &settings, &options, say, NULL);
	close(fds[1]);
	n = read(fds[0], text, sizeof(text) - 1);
	close(fds[0]);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

START_TEST(test_used)
{
	struct perf_script_args args = { .perf = "perf" };

	put_filter(true);
	ck_assert_str_eq(opened(), "");
	fastpath_begin(&fast, &args);
	ck_assert_str_eq(args.filter, filter);
	ck_assert_uint_ne(args.cookie, 0);
	ck_assert(args.all);
	fastpath_close(&fast);
	/* only by the reference's rules are jumps within functions of no use */
	settings.reference = settings.reference_times = true;
	opened();
	fastpath_begin(&fast, &args);
	ck_assert(!args.all);
	fastpath_close(&fast);
	settings.inlined = true;
	opened();
	fastpath_begin(&fast, &args);
	ck_assert(args.all);
	fastpath_close(&fast);
	settings.reference = settings.reference_times = settings.inlined = false;
	put_filter(false);
}
END_TEST

START_TEST(test_all_is_wanted)
{
	struct perf_script_args args = { .perf = "perf" };

	put_filter(true);
	settings.print_events = true;
	opened();
	fastpath_begin(&fast, &args);
	ck_assert(args.all);
	fastpath_close(&fast);
	settings.print_events = false;
	options.filter.start = (char *)"f";
	opened();
	fastpath_begin(&fast, &args);
	ck_assert(args.all);
	fastpath_close(&fast);
	put_filter(false);
}
END_TEST

/* Without a word: it is not wanted, or of no use. */
START_TEST(test_not_used)
{
	struct perf_script_args args = { .filter = "x" };

	put_filter(true);
	settings.no_filter = true;
	ck_assert_str_eq(opened(), "");
	fastpath_begin(&fast, &args);
	ck_assert_ptr_null(args.filter);
	ck_assert(!fastpath_hold(&fast, STR("line")));
	fastpath_close(&fast);
	settings.no_filter = false;
	settings.mode = PERF_SAMPLING;
	ck_assert_str_eq(opened(), "");
	fastpath_begin(&fast, &args);
	ck_assert_ptr_null(args.filter);
	fastpath_close(&fast);
	put_filter(false);
}
END_TEST

START_TEST(test_missing)
{
	struct perf_script_args args = { .filter = "x" };

	put_filter(false);
	ck_assert_ptr_nonnull(strstr(opened(), "there is no magic-trace-dlfilter.so"));
	fastpath_begin(&fast, &args);
	ck_assert_ptr_null(args.filter);
	fastpath_close(&fast);
}
END_TEST

/* perf's words are kept until it is known that they are not about the filter. */
START_TEST(test_accepted)
{
	struct perf_script_args args = { .perf = "perf" };

	put_filter(true);
	opened();
	fastpath_begin(&fast, &args);
	ck_assert(fastpath_hold(&fast, STR("early")));
	ck_assert_str_eq(said, "");
	fastpath_accepted(&fast);
	ck_assert_str_eq(said, "early|");
	ck_assert(!fastpath_hold(&fast, STR("late")));
	fastpath_close(&fast);
	put_filter(false);
}
END_TEST

START_TEST(test_refused)
{
	struct perf_script_args args = { .perf = "perf" };

	put_filter(true);
	opened();
	fastpath_begin(&fast, &args);
	fastpath_hold(&fast, STR("no"));
	fastpath_refused(&fast);
	ck_assert_str_eq(said, "");
	fastpath_begin(&fast, &args);
	ck_assert_ptr_null(args.filter);
	ck_assert(!fastpath_hold(&fast, STR("x")));
	fastpath_not_to_blame(&fast);
	fastpath_begin(&fast, &args);
	ck_assert_str_eq(args.filter, filter);
	fastpath_close(&fast);
	put_filter(false);
}
END_TEST

SUITE_MAIN("fastpath", test_used, test_all_is_wanted, test_not_used, test_missing, test_accepted,
	   test_refused)
