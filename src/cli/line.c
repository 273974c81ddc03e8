/* SPDX-License-Identifier: MIT */
#include "cli/line.h"

#include <stdarg.h>
#include <stdio.h>

void line_add(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->s) - line->n;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->s + line->n, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		line->s[line->n] = '\0';
	else
		line->n += (size_t)n < room ? (size_t)n : room - 1;
}
