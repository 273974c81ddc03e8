/* SPDX-License-Identifier: MIT */
/* Run from the top of the source tree. */
#include "cli/man.h"

#include "cli/flags.h"
#include "support/suite.h"

#include <string.h>

static char *page(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	man_page(out);
	fclose(out);
	return text;
}

START_TEST(test_every_flag_has_a_paragraph)
{
	char *text = page();
	size_t n;
	const struct flag *flags = flags_table(&n);

	for (size_t i = 0; i < n; i++) {
		char tag[200] = ".TP\n\\fB", *p = tag + strlen(tag);

		/* Dashes are escaped: else groff makes hyphens of them. */
		p += snprintf(p, 4, "\\-");
		for (const char *c = flags[i].name; *c; c++)
			p += snprintf(p, 4, *c == '-' ? "\\-" : "%c", *c);
		snprintf(p, 4, "\\fR");
		ck_assert_msg(!strstr(text, tag) == flags[i].hidden, "%s", tag);
	}
	free(text);
}
END_TEST

START_TEST(test_the_committed_page_is_up_to_date)
{
	char *text = page();
	char *there = calloc(1, strlen(text) + 2);
	FILE *file = fopen("docs/magic-trace.1", "r");

	ck_assert_msg(file, "docs/magic-trace.1 is missing: make man");
	fread(there, 1, strlen(text) + 1, file);
	fclose(file);
	ck_assert_msg(!strcmp(text, there), "docs/magic-trace.1 is out of date: make man");
	free(there);
	free(text);
}
END_TEST

START_TEST(test_groff_takes_it)
{
	char complaints[2000];
	FILE *groff;
	size_t n;

	if (system("command -v groff >/dev/null") != 0) {
		puts("SKIP man/groff: groff is not installed");
		return;
	}
	groff = popen("groff -man -Tutf8 -ww -z docs/magic-trace.1 2>&1", "r");
	ck_assert_ptr_nonnull(groff);
	n = fread(complaints, 1, sizeof(complaints) - 1, groff);
	complaints[n] = '\0';
	ck_assert_int_eq(pclose(groff), 0);
	ck_assert_str_eq(complaints, "");
}
END_TEST

SUITE_MAIN("man", test_every_flag_has_a_paragraph, test_the_committed_page_is_up_to_date,
	   test_groff_takes_it)
