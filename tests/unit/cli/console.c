/* SPDX-License-Identifier: MIT */
#include "cli/console.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char got[40000];

/* A console that writes to *reader, which gives each write(2) as one packet. */
static struct console open_console(int *reader)
{
	struct console console;
	int fds[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	console_init(&console, fds[0]);
	*reader = fds[1];
	return console;
}

static const char *next(int reader)
{
	ssize_t n = recv(reader, got, sizeof(got) - 1, MSG_DONTWAIT);

	got[n > 0 ? n : 0] = '\0';
	return got;
}

START_TEST(test_one_write_a_message)
{
	int reader;
	struct console console = open_console(&reader);
	struct err err = ERR_INIT;

	console_say(&console, "%s %d", "a", 1);
	console_warn(&console, "b");
	err_set(&err, "c");
	console_error(&console, &err);
	err_hint(&err, "do d");
	console_error(&console, &err);
	console_warn_err(&console, &err);
	ck_assert_str_eq(next(reader), "a 1\n");
	ck_assert_str_eq(next(reader), "magic-trace: warning: b\n");
	ck_assert_str_eq(next(reader), "magic-trace: c\n");
	ck_assert_str_eq(next(reader), "magic-trace: c\n  do d\n");
	ck_assert_str_eq(next(reader), "magic-trace: warning: c\n  do d\n");
	ck_assert_str_eq(next(reader), "");
}
END_TEST

START_TEST(test_what_steers_a_terminal_is_escaped)
{
	static const char *const pairs[][2] = {
		{ "plain ~", "plain ~" },
		{ "\033[31m", "\\x1b[31m" },
		{ "a\nb\r\tc\x7f", "a\\x0ab\\x0d\\x09c\\x7f" },
		{ "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		  "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* U+009B is CSI */
		/* U+202E: from here on from right to left */
		{ "a\xe2\x80\xae"
		  "b",
		  "a\\xe2\\x80\\xaeb" },
		{ "\xff\xc3", "\\xff\\xc3" },                              /* not UTF-8; cut */
		{ "\xc0\xaf \xe0\x80\xaf", "\\xc0\\xaf \\xe0\\x80\\xaf" }, /* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },                     /* a surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },            /* above U+10FFFF */
	};
	int reader;
	struct console console = open_console(&reader);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		char want[100];

		console_say(&console, "%s", pairs[i][0]);
		snprintf(want, sizeof(want), "%s\n", pairs[i][1]);
		ck_assert_str_eq(next(reader), want);
	}
}
END_TEST

START_TEST(test_escape_fits)
{
	char buf[6];

	ck_assert_uint_eq(console_escape(buf, sizeof(buf), STR("abcdefgh")), 5);
	ck_assert_str_eq(buf, "abcde");
	ck_assert_uint_eq(console_escape(buf, sizeof(buf), STR("ab\x01")), 2);
	ck_assert_str_eq(buf, "ab");
	ck_assert_uint_eq(console_escape(buf, sizeof(buf), STR("a\x01z")), 5);
	ck_assert_str_eq(buf, "a\\x01");
	ck_assert_uint_eq(console_escape(buf, sizeof(buf), STR("abcd\xc3\xa9")), 4);
	ck_assert_uint_eq(console_escape(buf, 1, STR("a")), 0);
	ck_assert_uint_eq(console_escape(buf, sizeof(buf), (struct str){ 0 }), 0);
	ck_assert_str_eq(buf, "");
}
END_TEST

START_TEST(test_long_messages_are_cut)
{
	char big[20000];
	int reader;
	struct console console = open_console(&reader);

	for (int byte = 1; byte <= 'a'; byte += 'a' - 1) {
		memset(big, byte, sizeof(big) - 1);
		big[sizeof(big) - 1] = '\0';
		console_say(&console, "%s", big);
		next(reader);
		ck_assert_uint_gt(strlen(got), 8000);
		ck_assert_int_eq(got[strlen(got) - 1], '\n');
		ck_assert_str_eq(next(reader), "");
	}
}
END_TEST

START_TEST(test_status_line)
{
	int reader;
	struct console console = open_console(&reader);

	/* No terminal: no status. */
	console_status(&console, "1");
	console_status_end(&console);
	ck_assert_str_eq(next(reader), "");
	console.terminal = true;
	console_status(&console, "1\n");
	ck_assert_str_eq(next(reader), "\r\033[K1\\x0a");
	console_status(&console, "2");
	ck_assert_str_eq(next(reader), "\r\033[K2");
	console_say(&console, "message");
	ck_assert_str_eq(next(reader), "\r\033[Kmessage\n");
	console_say(&console, "message");
	ck_assert_str_eq(next(reader), "message\n");
	console_status(&console, "3");
	ck_assert_str_eq(next(reader), "\r\033[K3");
	console_status_end(&console);
	ck_assert_str_eq(next(reader), "\r\033[K");
}
END_TEST

SUITE_MAIN("console", test_one_write_a_message, test_what_steers_a_terminal_is_escaped,
	   test_escape_fits, test_long_messages_are_cut, test_status_line)
