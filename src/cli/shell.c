/* SPDX-License-Identifier: MIT */
#include "cli/shell.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
	for (const char *p = word; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("%+,-./:=@_", *p))
			return false;
	}
	return *word;
}

static bool has_control(const char *word)
{
	for (const char *p = word; *p; p++) {
		if (iscntrl((unsigned char)*p))
			return true;
	}
	return false;
}

static void quote(struct line *out, const char *word)
{
	bool control = has_control(word);

	line_add(out, control ? "$'" : "'");
	for (const char *p = word; *p; p++) {
		if (iscntrl((unsigned char)*p))
			line_add(out, "\\x%02x", (unsigned char)*p);
		else if (*p == '\'')
			line_add(out, control ? "\\'" : "'\\''");
		else if (control && *p == '\\')
			line_add(out, "\\\\");
		else
			line_add(out, "%c", *p);
	}
	line_add(out, "'");
}

void shell_command(struct line *out, char *const *argv)
{
	for (char *const *word = argv; *word; word++) {
		if (word != argv)
			line_add(out, " ");
		if (is_plain(*word))
			line_add(out, "%s", *word);
		else
			quote(out, *word);
	}
}
