/* SPDX-License-Identifier: MIT */
#include "cli/shell.h"

#include "base/utf8.h"

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

/* One character, or the bytes that are none: as it is, or as \xNN when that is not to be shown. */
static void quote_character(struct line *out, struct str s, bool hidden, bool escaped)
{
	char bytes[4 * 4 + 1];

	if (hidden) {
		bytes[utf8_escape(bytes, s)] = '\0';
		line_add(out, "%s", bytes);
	} else if (s.p[0] == '\'') {
		line_add(out, escaped ? "\\'" : "'\\''");
	} else if (escaped && s.p[0] == '\\') {
		line_add(out, "\\\\");
	} else {
		line_add(out, "%.*s", (int)s.n, s.p);
	}
}

static void quote(struct line *out, const char *word)
{
	struct str s = str_of(word);
	bool escaped = !utf8_is_plain(s);

	line_add(out, escaped ? "$'" : "'");
	while (s.n) {
		bool bad;
		size_t n = utf8_length(s, &bad);

		quote_character(out, (struct str){ .p = s.p, .n = n }, bad || utf8_steers(s, n),
				escaped);
		s = str_skip(s, n);
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
