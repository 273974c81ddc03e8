/* SPDX-License-Identifier: MIT */
#include "symbol/notation.h"

#include "base/num.h"

#include <string.h>

bool notation_address(const char *text, uint64_t *address)
{
	struct str s = str_of(text);

	if (str_starts(s, STR("0x")) || str_starts(s, STR("0X")))
		s = str_skip(s, 2);
	return num_hex(&s, address) && s.n == 0;
}

/* Takes ":NUMBER" off the end of s. */
static bool take_number(struct str *s, uint32_t *number)
{
	const char *colon = memrchr(s->p, ':', s->n);
	struct str digits;
	uint64_t value;

	if (!colon)
		return false;
	digits = str_skip(*s, (size_t)(colon + 1 - s->p));
	if (!num_dec(&digits, &value) || digits.n || value == 0 || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	s->n = (size_t)(colon - s->p);
	return true;
}

bool notation_line(const char *text, struct notation_line *line)
{
	struct str file = str_of(text);
	uint32_t last, first;

	if (!take_number(&file, &last))
		return false;
	*line = (struct notation_line){ .line = last };
	if (take_number(&file, &first))
		*line = (struct notation_line){ .line = first, .col = last };
	line->file = file;
	return file.n > 0;
}

bool notation_library(const char *text, struct str *library, const char **symbol)
{
	const char *p = text;

	while (*p) {
		size_t colons;

		p += strcspn(p, ":");
		colons = strspn(p, ":");
		if (colons == 1)
			break;
		p += colons;
	}
	if (*p == '\0' || p == text || p[1] == '\0')
		return false;
	*library = (struct str){ .p = text, .n = (size_t)(p - text) };
	*symbol = p + 1;
	return true;
}
