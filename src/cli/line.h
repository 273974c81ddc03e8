/* SPDX-License-Identifier: MIT */
/* line: a line of text that is put together piece by piece. */
#ifndef MT_CLI_LINE_H
#define MT_CLI_LINE_H

#include <stddef.h>

struct line {
	size_t n;
	char s[6144]; /* n bytes and a NUL */
};

#define LINE_INIT       \
	{               \
		.n = 0, \
	}

/* Adds to the line (printf style); what does not fit is left out. */
void line_add(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
