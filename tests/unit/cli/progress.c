/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include "support/suite.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

START_TEST(test_text)
{
	struct progress_counts counts = {
		.file = 1,
		.n_files = 1,
		.bytes = 12345678,
		.events = 98765,
		.spans = 4321,
	};
	char text[200];

	progress_text(text, sizeof(text), &counts, 12);
	ck_assert_str_eq(text, "12.3 MB, 98,765 events, 4,321 spans, 12 s");
	counts.file = 2;
	counts.n_files = 3;
	progress_text(text, sizeof(text), &counts, 0);
	ck_assert_str_eq(text, "file 2 of 3, 12.3 MB, 98,765 events, 4,321 spans, 0 s");
	counts.n_files = 1;
	counts.read = 25;
	counts.data = 100;
	progress_text(text, sizeof(text), &counts, 1);
	ck_assert_str_eq(text, "25 %, 12.3 MB, 98,765 events, 4,321 spans, 1 s");
	progress_text(text, sizeof(text), &counts, 12);
	ck_assert_str_eq(text, "25 %, 12.3 MB, 98,765 events, 4,321 spans, 12 s, 36 s left");
	counts.read = 101; /* cannot be: nothing is said */
	progress_text(text, sizeof(text), &counts, 1);
	ck_assert_str_eq(text, "12.3 MB, 98,765 events, 4,321 spans, 1 s");
	progress_text(text, 10, &counts, 0);
	ck_assert_uint_eq(strlen(text), 9);
}
END_TEST

START_TEST(test_only_on_a_terminal_and_not_too_often)
{
	struct progress_counts counts = { .file = 1, .n_files = 1 };
	struct progress progress;
	struct console console;
	char got[1000];
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	console_init(&console, fds[0]);
	progress_start(&progress, &console);
	progress_show(&progress, &counts);
	ck_assert_int_eq(recv(fds[1], got, sizeof(got), MSG_DONTWAIT), -1);
	ck_assert(!progress_asks(&progress));
	console.terminal = true;
	ck_assert(progress_asks(&progress));
	ck_assert(!progress_asks(&progress));
	progress_show(&progress, &counts);
	ck_assert_int_gt(recv(fds[1], got, sizeof(got), MSG_DONTWAIT), 0);
	/* Drawn in the future, as it were: no time has passed since. */
	progress.drawn = INT64_MAX / 2;
	progress_show(&progress, &counts);
	ck_assert_int_eq(recv(fds[1], got, sizeof(got), MSG_DONTWAIT), -1);
	progress.drawn = 0;
	progress_show(&progress, &counts);
	ck_assert_int_gt(recv(fds[1], got, sizeof(got), MSG_DONTWAIT), 0);
}
END_TEST

SUITE_MAIN("progress", test_text, test_only_on_a_terminal_and_not_too_often)
