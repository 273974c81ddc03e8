/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include "cli/flags.h"
#include "support/suite.h"

#include <string.h>

/* What a help function wrote; free it. */
static char *text_of(enum command_id id)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	if (id == COMMANDS)
		help_program(out);
	else
		help_command(out, id);
	fclose(out);
	return text;
}

START_TEST(test_every_flag_is_explained)
{
	size_t n;
	const struct flag *flags = flags_table(&n);

	for (enum command_id id = 0; id < COMMANDS; id++) {
		char *text = text_of(id);

		for (size_t i = 0; i < n; i++) {
			char name[100];
			bool there;

			snprintf(name, sizeof(name), "\n  -%s%s%s%s%s\n", flags[i].name,
				 flags[i].alias ? ", -" : "", flags[i].alias ? flags[i].alias : "",
				 flags[i].value ? " " : "", flags[i].value ? flags[i].value : "");
			there = strstr(text, name);
			ck_assert_msg(there == flag_is_shown(&flags[i], id), "%s: %s",
				      command_get(id)->name, name);
		}
		free(text);
	}
}
END_TEST

/* What the user's own share command does is for who has set it to say. */
START_TEST(test_share_doc)
{
	char *text;

	setenv("MAGIC_TRACE_SHARE_DOC", "Puts it onto the team's server.", 1);
	text = text_of(COMMAND_RUN);
	ck_assert_ptr_nonnull(strstr(text, "\n      Puts it onto the team's server.\n"));
	free(text);
	unsetenv("MAGIC_TRACE_SHARE_DOC");
	text = text_of(COMMAND_RUN);
	ck_assert_ptr_null(strstr(text, "team's server"));
	free(text);
}
END_TEST

START_TEST(test_examples_come_first)
{
	char *text = text_of(COMMAND_DECODE);
	char *examples = strstr(text, "\nExamples:\n");
	char *usage = strstr(text, "\nUsage:\n");

	ck_assert_ptr_nonnull(examples);
	ck_assert_ptr_nonnull(usage);
	ck_assert(examples < usage);
	free(text);
}
END_TEST

START_TEST(test_lines_fit_a_terminal)
{
	for (enum command_id id = 0; id <= COMMANDS; id++) {
		char *text = text_of(id);

		for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
			ck_assert_msg(end - line <= 80, "%.*s", (int)(end - line), line);
		free(text);
	}
}
END_TEST

START_TEST(test_every_command_is_named)
{
	char *text = text_of(COMMANDS);

	for (enum command_id id = 0; id < COMMANDS; id++) {
		char name[50];

		snprintf(name, sizeof(name), "\n  %-10s ", command_get(id)->name);
		ck_assert_ptr_nonnull(strstr(text, name));
	}
	free(text);
}
END_TEST

SUITE_MAIN("help", test_every_flag_is_explained, test_share_doc, test_examples_come_first,
	   test_lines_fit_a_terminal, test_every_command_is_named)
