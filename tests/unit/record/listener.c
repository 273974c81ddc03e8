/* SPDX-License-Identifier: MIT */
#include "record/listener.h"

#include "support/suite.h"

#include <string.h>

static char said[1024];
static const struct err *warned;

static void on_say(void *ctx, const char *line)
{
	ck_assert_ptr_eq(ctx, said);
	strcpy(said, line);
}

static void on_warn(void *ctx, const struct err *what)
{
	ck_assert_ptr_eq(ctx, said);
	warned = what;
}

static const struct listener listener = { .ctx = said, .say = on_say, .warn = on_warn };

START_TEST(test_it_is_told)
{
	struct err err = ERR_INIT;

	listener_say(&listener, "[ Thread %d called %s. ]", 7, "f");
	ck_assert_str_eq(said, "[ Thread 7 called f. ]");
	listener_warn(&listener, &err);
	ck_assert_ptr_eq(warned, &err);
}
END_TEST

START_TEST(test_a_long_line_is_cut)
{
	char word[600];

	memset(word, 'x', sizeof(word));
	word[599] = '\0';
	listener_say(&listener, "%s", word);
	ck_assert_uint_eq(strlen(said), 511);
	ck_assert_int_eq(strncmp(said, word, 511), 0);
}
END_TEST

SUITE_MAIN("listener", test_it_is_told, test_a_long_line_is_cut)
