/* SPDX-License-Identifier: MIT */
#include "cli/values.h"

#include "support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

START_TEST(test_size)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{ "1", 1 },
		{ "4096", 4096 },
		{ "512K", 524288 },
		{ "64m", 67108864 },
		{ "2MB", 2097152 },
		{ "1GiB", 1073741824 },
		{ "256T", UINT64_C(281474976710656) },
		{ "7b", 7 },
		{ "18446744073709551615", UINT64_MAX },
		{ "16777215T", UINT64_C(16777215) << 40 },
	};
	static const char *const bad[] = { "",
					   "0",
					   "0K",
					   "K",
					   "1.5M",
					   "-1",
					   "1 K",
					   "1KK",
					   "1bK",
					   "16777216T",
					   "0x10",
					   "1iB",
					   "18446744073709551616" };
	struct err err;
	uint64_t n;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(value_size(good[i].text, &n, &err) == 0, "%s", good[i].text);
		ck_assert_uint_eq(n, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(value_size(bad[i], &n, &err) == -1, "%s", bad[i]);
}
END_TEST

START_TEST(test_seconds)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "1", 1000000000 },
		{ "0.25", 250000000 },
		{ "0.000000001", 1 },
		{ "2.5000000009", UINT64_C(2500000000) },
		{ "9223372035", UINT64_C(9223372035000000000) },
	};
	static const char *const bad[] = { "",    "0",     "0.0",        "0.0000000001",
					   ".5",  "1.",    "-1",         "1s",
					   "1e3", "1.2.3", "9223372037", "99999999999999999999" };
	struct err err;
	uint64_t ns;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(value_seconds(good[i].text, &ns, &err) == 0, "%s", good[i].text);
		ck_assert_uint_eq(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(value_seconds(bad[i], &ns, &err) == -1, "%s", bad[i]);
}
END_TEST

START_TEST(test_jobs)
{
	static const char *const bad[] = { "", "0", "1025", "-1", "2x", "none", "1.5" };
	struct err err;
	uint32_t n;

	ck_assert_int_eq(value_jobs("1", &n, &err), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert_int_eq(value_jobs("1024", &n, &err), 0);
	ck_assert_uint_eq(n, 1024);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(value_jobs(bad[i], &n, &err) == -1, "%s", bad[i]);
}
END_TEST

START_TEST(test_when)
{
	static const struct {
		const char *text;
		uint64_t value;
		enum when_kind kind;
		bool length;
	} good[] = {
		{ "2ms", 2000000, WHEN_SPAN, true },
		{ "0.5s", 500000000, WHEN_SPAN, true },
		{ "17ns", 17, WHEN_SPAN, true },
		{ "1.0009us", 1000, WHEN_SPAN, true },
		{ "0s", 0, WHEN_SPAN, false },
		{ "9223372035s", UINT64_C(9223372035000000000), WHEN_SPAN, true },
		{ "10%", WHEN_WHOLE / 10, WHEN_PERCENT, true },
		{ "0.1%", WHEN_WHOLE / 1000, WHEN_PERCENT, true },
		{ "100%", WHEN_WHOLE, WHEN_PERCENT, true },
		{ "0%", 0, WHEN_PERCENT, false },
		{ "@34812.856283158", UINT64_C(34812856283158), WHEN_CLOCK, false },
		{ "@0", 0, WHEN_CLOCK, false },
	};
	static const char *const bad[] = {
		"",    "2",    "ms",    "2 ms",        "-2ms",        "2m",
		"1.s", ".5s",  "1..5s", "1.5.5ms",     "100.1%",      "101%",
		"@",   "@1s",  "@-1",   "@1%",         "%",           "2ms3",
		"2%%", "0x2s", "1e3s",  "9223372037s", "@9223372037", "99999999999999999999ns"
	};
	struct err err;
	struct when when;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ck_assert_msg(value_when(good[i].text, &when, &err) == 0, "%s", good[i].text);
		ck_assert_int_eq(when.kind, good[i].kind);
		ck_assert_uint_eq(when.value, good[i].value);
		ck_assert_msg(value_length(good[i].text, &when, &err) == (good[i].length ? 0 : -1),
			      "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_msg(value_when(bad[i], &when, &err) == -1, "%s", bad[i]);
		ck_assert_msg(value_length(bad[i], &when, &err) == -1, "%s", bad[i]);
	}
}
END_TEST

START_TEST(test_fd)
{
	struct err err;
	char text[16];
	int fds[2], n;

	ck_assert_int_eq(pipe(fds), 0);
	snprintf(text, sizeof(text), "%d", fds[1]);
	ck_assert_int_eq(value_fd(text, &n, &err), 0);
	ck_assert_int_eq(n, fds[1]);
	/* one that can only be read, one that is closed */
	snprintf(text, sizeof(text), "%d", fds[0]);
	ck_assert_int_eq(value_fd(text, &n, &err), -1);
	close(fds[1]);
	snprintf(text, sizeof(text), "%d", fds[1]);
	ck_assert_int_eq(value_fd(text, &n, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.hint, ">ready"));
	ck_assert_int_eq(value_fd("3x", &n, &err), -1);
	ck_assert_int_eq(value_fd("-1", &n, &err), -1);
	close(fds[0]);
}
END_TEST

START_TEST(test_pids)
{
	static const char *const bad[] = { "",    "0",  "1,",         ",1",  "1,,2",
					   "1 2", "-5", "2147483648", "1,0", "x" };
	struct pid_list list = { .n = 0 };
	struct err err;

	ck_assert_int_eq(value_pids("12", &list, &err), 0);
	ck_assert_uint_eq(list.n, 1);
	ck_assert_int_eq(value_pids("1,2147483647,3", &list, &err), 0);
	ck_assert_uint_eq(list.n, 3);
	ck_assert_int_eq(list.pids[0], 1);
	ck_assert_int_eq(list.pids[1], 2147483647);
	ck_assert_int_eq(list.pids[2], 3);
	/* what was read before stays */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(value_pids(bad[i], &list, &err) == -1, "%s", bad[i]);
	ck_assert_uint_eq(list.n, 3);
	pid_list_fini(&list);
	ck_assert_uint_eq(list.n, 0);
}
END_TEST

START_TEST(test_events)
{
	struct extra_events events;
	struct err err;

	ck_assert_int_eq(value_events("cache-misses", &events, &err), 0);
	ck_assert(events.cache_misses && !events.branch_misses);
	ck_assert_int_eq(value_events("branch-misses,cache-misses", &events, &err), 0);
	ck_assert(events.cache_misses && events.branch_misses);
	ck_assert_int_eq(value_events("cycles", &events, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "branch-misses and cache-misses"));
	ck_assert_int_eq(value_events("cache-misses,", &events, &err), -1);
	ck_assert_int_eq(value_events("", &events, &err), -1);
}
END_TEST

START_TEST(test_depth)
{
	struct err err;
	uint32_t n = 9;

	ck_assert_int_eq(value_depth("17", &n, &err), 0);
	ck_assert_uint_eq(n, 17);
	ck_assert_int_eq(value_depth("none", &n, &err), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_int_eq(value_depth("0", &n, &err), -1);
	ck_assert_int_eq(value_depth("4294967296", &n, &err), -1);
	ck_assert_int_eq(value_depth("3x", &n, &err), -1);
}
END_TEST

SUITE_MAIN("values", test_size, test_seconds, test_jobs, test_when, test_fd, test_pids, test_events,
	   test_depth)
