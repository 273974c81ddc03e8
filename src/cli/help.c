/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include "cli/flags.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 80

/* Writes text in lines of at most WIDTH columns, each after `indent` spaces. */
static void wrap(FILE *out, int indent, const char *text)
{
	size_t room = (size_t)(WIDTH - indent);

	while (*text) {
		size_t n = strlen(text);

		if (n > room) {
			n = room;
			while (n && text[n] != ' ')
				n--;
			if (n == 0)
				n = strcspn(text, " ");
		}
		fprintf(out, "%*s%.*s\n", indent, "", (int)n, text);
		text += n;
		text += strspn(text, " ");
	}
}

static void entries(FILE *out, const char *title, const struct entry *entry)
{
	if (!entry->term)
		return;
	fprintf(out, "\n%s:\n", title);
	for (; entry->term; entry++) {
		fprintf(out, "  %s\n", entry->term);
		wrap(out, 6, entry->text);
	}
}

static void usage(FILE *out, const struct command *command)
{
	for (const struct entry *e = command->usage; e->term; e++)
		fprintf(out, "  %s\n", e->term);
}

static void flag_help(FILE *out, const struct flag *flag)
{
	fprintf(out, "  -%s", flag->name);
	if (flag->alias)
		fprintf(out, ", -%s", flag->alias);
	if (flag->value)
		fprintf(out, " %s", flag->value);
	fputc('\n', out);
	wrap(out, 6, flag->help);
	/* who sets the command may say what it does */
	if (!strcmp(flag->name, "share") && getenv("MAGIC_TRACE_SHARE_DOC"))
		wrap(out, 6, getenv("MAGIC_TRACE_SHARE_DOC"));
}

void help_command(FILE *out, enum command_id id)
{
	const struct command *command = command_get(id);
	size_t n;
	const struct flag *flags = flags_table(&n);

	fprintf(out, "magic-trace %s: %s\n", command->name, command->summary);
	entries(out, "Examples", command->examples);
	fputs("\nUsage:\n", out);
	usage(out, command);
	fputc('\n', out);
	wrap(out, 0, command->about);
	fputs("\nFlags (one dash or two; -FLAG VALUE or -FLAG=VALUE; the last of several "
	      "counts):\n",
	      out);
	for (size_t i = 0; i < n; i++) {
		if (flag_is_shown(&flags[i], id))
			flag_help(out, &flags[i]);
	}
	if (id == COMMAND_VERSION || id == COMMAND_HELP || id == COMMAND_CHECK)
		return;
	entries(out, "Exit status", program_statuses());
	entries(out, "Environment variables", program_variables());
}

void help_program(FILE *out)
{
	fputs("magic-trace: every call of a program as a timeline\n", out);
	entries(out, "Examples", program_examples());
	fputs("\nUsage:\n", out);
	for (enum command_id id = 0; id < COMMANDS; id++)
		usage(out, command_get(id));
	fputs("\nCommands:\n", out);
	for (enum command_id id = 0; id < COMMANDS; id++)
		fprintf(out, "  %-10s %s\n", command_get(id)->name, command_get(id)->summary);
}
