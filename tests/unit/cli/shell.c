/* SPDX-License-Identifier: MIT */
#include "cli/shell.h"

#include "base/utf8.h"

#include "support/suite.h"

#include <stdio.h>
#include <string.h>

/* What bash makes of the quoted words: each followed by a NUL. */
static size_t unquote(char *const *argv, char *buf, size_t size)
{
	struct line line = LINE_INIT;
	char command[8192];
	FILE *bash;
	size_t n;

	shell_command(&line, argv);
	ck_assert(!strchr(line.s, '\n'));
	snprintf(command, sizeof(command), "%s", line.s);
	ck_assert_int_eq(setenv("QUOTED", command, 1), 0);
	bash = popen("bash -c 'eval \"set -- $QUOTED\"; printf \"%s\\0\" \"$@\"'", "r");
	ck_assert_ptr_nonnull(bash);
	n = fread(buf, 1, size, bash);
	ck_assert_int_eq(pclose(bash), 0);
	return n;
}

START_TEST(test_the_shell_reads_what_was_meant)
{
	static const char *const argv[] = {
		"perf",     "script", "-F",       "pid,tid", "a b",      "it's",          "",
		"$HOME",    "`id`",   "a\\b",     "\"",      "*",        "~/x",           "\x01",
		"tab\t'\\", "\n",     "\xc3\xa9", "\xff",    "\xc2\x9b", "\xe2\x80\xae'", NULL,
	};
	char buf[1024];
	struct line line = LINE_INIT;
	size_t at = 0, n = unquote((char *const *)argv, buf, sizeof(buf));

	for (const char *const *word = argv; *word; word++) {
		ck_assert_uint_lt(at, n);
		ck_assert_str_eq(buf + at, *word);
		at += strlen(*word) + 1;
	}
	ck_assert_uint_eq(at, n);
	/* so it is what is read on a terminal */
	shell_command(&line, (char *const *)argv);
	ck_assert(utf8_is_plain(str_of(line.s)));
}
END_TEST

START_TEST(test_plain_words_stay_plain)
{
	static const char *const argv[] = { "perf", "script", "--ns", "--itrace=bep",
					    "-F",   "+a,b",   NULL };
	struct line line = LINE_INIT;

	shell_command(&line, (char *const *)argv);
	ck_assert_str_eq(line.s, "perf script --ns --itrace=bep -F +a,b");
}
END_TEST

SUITE_MAIN("shell", test_the_shell_reads_what_was_meant, test_plain_words_stay_plain)
