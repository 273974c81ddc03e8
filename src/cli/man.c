/* SPDX-License-Identifier: MIT */
#include "cli/man.h"

#include "cli/commands.h"
#include "cli/flags.h"

#include <string.h>

/* Text that man(7) would take for something else: backslashes, dashes, a line's first dot. */
static void text(FILE *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		fputs("\\&", out);
	for (; *s; s++) {
		switch (*s) {
		case '\\': fputs("\\e", out); break;
		case '-': fputs("\\-", out); break;
		case '\'': fputs("\\(aq", out); break;
		case '`': fputs("\\(ga", out); break;
		default: fputc(*s, out);
		}
	}
}

/* A paragraph, one sentence a line. */
static void paragraph(FILE *out, const char *s)
{
	const char *stop;

	while ((stop = strstr(s, ". "))) {
		char sentence[512];

		snprintf(sentence, sizeof(sentence), "%.*s", (int)(stop + 1 - s), s);
		text(out, sentence);
		fputc('\n', out);
		s = stop + 2;
	}
	text(out, s);
	fputc('\n', out);
}

static void bold_line(FILE *out, const char *s)
{
	fputs("\\fB", out);
	text(out, s);
	fputs("\\fR\n", out);
}

/* Tagged paragraphs: the term in bold, then its text. */
static void entries(FILE *out, const struct entry *entry)
{
	for (; entry->term; entry++) {
		fputs(".TP\n", out);
		bold_line(out, entry->term);
		paragraph(out, entry->text);
	}
}

static void flag(FILE *out, const struct flag *flag)
{
	fputs(".TP\n\\fB\\-", out);
	text(out, flag->name);
	if (flag->alias) {
		fputs("\\fR, \\fB\\-", out);
		text(out, flag->alias);
	}
	fputs("\\fR", out);
	if (flag->value) {
		fputs(" \\fI", out);
		text(out, flag->value);
		fputs("\\fR", out);
	}
	fputc('\n', out);
	paragraph(out, flag->help);
}

static void command(FILE *out, enum command_id id)
{
	const struct command *c = command_get(id);
	size_t n;
	const struct flag *flags = flags_table(&n);

	fprintf(out, ".SS %s\n", c->name);
	paragraph(out, c->about);
	for (size_t i = 0; i < n; i++) {
		if (flag_is_shown(&flags[i], id))
			flag(out, &flags[i]);
	}
}

static void usage(FILE *out)
{
	const char *stop = "";

	for (enum command_id id = 0; id < COMMANDS; id++) {
		for (const struct entry *e = command_get(id)->usage; e->term; e++) {
			fputs(stop, out);
			bold_line(out, e->term);
			stop = ".br\n";
		}
	}
}

void man_page(FILE *out)
{
	fputs(".\\\" Made by `make man` from the tables in src/cli; not to be edited.\n"
	      ".TH MAGIC\\-TRACE 1 \"\" \"magic\\-trace\" \"User Commands\"\n"
	      ".SH NAME\n"
	      "magic\\-trace \\- every call of a program as a timeline\n"
	      ".SH SYNOPSIS\n",
	      out);
	usage(out);
	fputs(".SH EXAMPLES\n", out);
	for (enum command_id id = 0; id < COMMANDS; id++)
		entries(out, command_get(id)->examples);
	fputs(".SH COMMANDS\n"
	      "Flags take one dash or two, their value behind an equals sign or as the next "
	      "argument.\n"
	      "The last of several equal flags counts.\n"
	      "What follows \\fB\\-\\-\\fR is no flag.\n",
	      out);
	for (enum command_id id = 0; id < COMMANDS; id++)
		command(out, id);
	fputs(".SH EXIT STATUS\n", out);
	entries(out, program_statuses());
	fputs(".SH ENVIRONMENT\n", out);
	entries(out, program_variables());
	fputs(".SH SEE ALSO\n"
	      ".BR perf\\-record (1),\n"
	      ".BR perf\\-script (1),\n"
	      ".BR perf\\-intel\\-pt (1)\n",
	      out);
}
