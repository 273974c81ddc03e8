/* SPDX-License-Identifier: MIT */
/* Run from the top of the source tree; the script is tried in bash itself. */
#include "cli/completion.h"

#include "cli/flags.h"
#include "support/suite.h"

#include <string.h>

#define SCRIPT "docs/magic-trace.bash"

/* What bash offers for the last of the words, a space before and behind each. */
static const char *complete(const char *words)
{
	static char out[4096];
	char command[1024];
	size_t n;
	FILE *bash;

	snprintf(command, sizeof(command),
		 "bash -c 'source " SCRIPT
		 "; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1));"
		 " _magic_trace; printf \" %%s \" \"${COMPREPLY[@]}\"'",
		 words);
	bash = popen(command, "r");
	ck_assert_ptr_nonnull(bash);
	n = fread(out, 1, sizeof(out) - 1, bash);
	out[n] = '\0';
	ck_assert_int_eq(pclose(bash), 0);
	return out;
}

START_TEST(test_the_committed_script_is_up_to_date)
{
	char *text = NULL, *there;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	FILE *file = fopen(SCRIPT, "r");

	ck_assert_ptr_nonnull(out);
	completion_bash(out);
	fclose(out);
	ck_assert_msg(file, SCRIPT " is missing: make man");
	there = calloc(1, size + 2);
	fread(there, 1, size + 1, file);
	fclose(file);
	ck_assert_msg(!strcmp(text, there), SCRIPT " is out of date: make man");
	free(there);
	free(text);
}
END_TEST

START_TEST(test_every_flag_is_offered)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	for (enum command_id id = 0; id < COMMANDS; id++) {
		char words[100], name[100];
		const char *offers;

		for (int dashes = 1; dashes <= 2; dashes++) {
			snprintf(words, sizeof(words), "magic-trace %s %.*s", command_get(id)->name,
				 dashes, "--");
			offers = complete(words);
			for (size_t i = 0; i < n; i++) {
				snprintf(name, sizeof(name), " %.*s%s ", dashes, "--",
					 flags[i].name);
				ck_assert_msg(!strstr(offers, name) ==
						      !flag_is_shown(&flags[i], id),
					      "%s:%s in%s", words, name, offers);
			}
		}
	}
}
END_TEST

START_TEST(test_commands_and_values)
{
	ck_assert_str_eq(complete("magic-trace de"), " decode ");
	ck_assert_str_eq(complete("magic-trace help ver"), " version ");
	ck_assert_str_eq(complete("magic-trace decode -callgraph-mode d"), " dwarf ");
	ck_assert_str_eq(complete("magic-trace decode --callgraph-mode = d"), " dwarf ");
	ck_assert_str_eq(complete("magic-trace decode -symfs = docs"), " docs ");
	ck_assert_str_eq(complete("magic-trace decode -working-directory docs/mag"), "  ");
	ck_assert_str_eq(complete("magic-trace decode -o docs/magic-trace.b"),
			 " docs/magic-trace.bash ");
	ck_assert_str_eq(complete("magic-trace decode docs/magic-trace.b"),
			 " docs/magic-trace.bash ");
}
END_TEST

SUITE_MAIN("completion", test_the_committed_script_is_up_to_date, test_every_flag_is_offered,
	   test_commands_and_values)
