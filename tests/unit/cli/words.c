/* SPDX-License-Identifier: MIT */
/* Where sh would do the same, sh is the truth. */
#include "cli/words.h"

#include "support/scratch.h"
#include "support/suite.h"

static struct err err;

static void fails(const char *text, const char *why)
{
	err = (struct err)ERR_INIT;
	ck_assert_ptr_null(words_split(text, "last", &err));
	ck_assert_str_eq(err.msg, why);
}

/* The words, each with a bar behind it. */
static void as_sh(const char *text)
{
	char **words = words_split(text, "la st", &err), *got = NULL;
	struct scratch s;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	ck_assert_ptr_nonnull(words);
	for (size_t i = 0; words[i]; i++)
		fprintf(to, "%s|", words[i]);
	fclose(to);
	words_free(words);
	scratch_init(&s);
	ck_assert_int_eq(setenv("TEXT", text, 1), 0);
	ck_assert_int_eq(
		scratch_run(&s, "eval \"set -- $TEXT\" && printf '%s|' \"$@\" 'la st' >want"), 0);
	ck_assert_msg(scratch_holds(&s, "want", got), "of %s came %s", text, got);
	scratch_fini(&s);
	free(got);
}

START_TEST(test_as_sh_does)
{
	as_sh("a");
	as_sh("  cp\t-t  /srv/traces \n");
	as_sh("'a  b' \"c  d\" e\\ f \\'");
	as_sh("a'b c'\"d e\"f");
	as_sh("'' \"\"");
	as_sh("'\"' \"'\" \"\\\"\" \"\\\\\" \"\\a\" '\\' \\\\");
	as_sh("x y z");
}
END_TEST

START_TEST(test_nothing_is_expanded)
{
	static const char *const want[] = {
		"$HOME", "`e`", "*", ">f", "a;b", "|", "&", "~", "last"
	};
	char **words = words_split("$HOME `e` * >f a;b | & ~", "last", &err);

	ck_assert_ptr_nonnull(words);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_str_eq(words[i], want[i]);
	ck_assert_ptr_null(words[sizeof(want) / sizeof(want[0])]);
	words_free(words);
	words_free(NULL);
}
END_TEST

START_TEST(test_no_command)
{
	fails("", "it is blank");
	fails(" \t\n", "it is blank");
	fails("a 'b", "a quotation does not end");
	fails("a \"b'", "a quotation does not end");
	fails("a \"b\\\"", "a quotation does not end");
	fails("a b\\", "there is nothing behind its last backslash");
}
END_TEST

SUITE_MAIN("words", test_as_sh_does, test_nothing_is_expanded, test_no_command)
