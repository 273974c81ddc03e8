/* SPDX-License-Identifier: MIT */
#include "perf/lines.h"

#include "base/xalloc.h"
#include "perf/text.h"

#include <stdlib.h>
#include <string.h>

/* More at once would only push the buffer out of the second-level cache. */
#define READ_SIZE ((size_t)256 << 10)
/* What is left of a line is at most PERF_LINE_MAX bytes when more is read. */
#define BUF_SIZE (PERF_LINE_MAX + READ_SIZE)
/* Moving less than this to the front costs nothing beside the read. */
#define CHEAP_MOVE 4096

void lines_init(struct lines *l)
{
	*l = (struct lines){ .end = true, .buf = xmalloc(BUF_SIZE) };
}

void lines_fini(struct lines *l)
{
	free(l->buf);
}

void lines_input(struct lines *l, struct input in)
{
	l->in = in;
	l->end = l->skipping = l->again = l->cut = false;
	l->pos = l->scanned = l->len = 0;
}

/* Reads more behind what is there: 1, 0 at the end, -1. */
static int fill(struct lines *l, struct err *err)
{
	size_t left = l->len - l->pos;
	ssize_t n;

	if (l->end)
		return 0;
	if (l->pos && (left <= CHEAP_MOVE || BUF_SIZE - l->len < READ_SIZE)) {
		memmove(l->buf, l->buf + l->pos, left);
		l->scanned -= l->pos;
		l->pos = 0;
		l->len = left;
	}
	n = l->in.read(l->in.ctx, l->buf + l->len, READ_SIZE, err);
	if (n < 0)
		return -1;
	l->end = n == 0;
	l->bytes += (size_t)n;
	l->len += (size_t)n;
	return n > 0;
}

/* Gives the n bytes at pos as a line and goes on at `next`. */
static enum lines_got give(struct lines *l, size_t n, size_t next, struct str *line)
{
	const char *p = l->buf + l->pos;
	bool too_long = n > PERF_LINE_MAX;

	if (too_long)
		n = LINES_SHOWN;
	else if (n && p[n - 1] == '\r')
		n--;
	l->pos = l->scanned = next;
	l->number++;
	*line = l->last = (struct str){ .p = p, .n = n };
	return too_long ? LINES_LONG : LINES_LINE;
}

/* The end of the text, which may be in the middle of a line. */
static enum lines_got give_rest(struct lines *l, struct str *line)
{
	size_t left = l->len - l->pos;

	if (left == 0)
		return LINES_END;
	l->cut = true;
	if (l->skipping) {
		l->pos = l->scanned = l->len;
		return LINES_END;
	}
	return give(l, left, l->len, line);
}

enum lines_got lines_next(struct lines *l, struct str *line, struct err *err)
{
	if (l->again) {
		l->again = false;
		*line = l->last;
		return LINES_LINE;
	}
	for (;;) {
		const char *nl = memchr(l->buf + l->scanned, '\n', l->len - l->scanned);
		int got;

		if (nl && !l->skipping)
			return give(l, (size_t)(nl - l->buf) - l->pos, (size_t)(nl - l->buf) + 1,
				    line);
		if (nl) {
			l->skipping = false;
			l->pos = l->scanned = (size_t)(nl - l->buf) + 1;
			continue;
		}
		l->scanned = l->len;
		if (!l->skipping && l->len - l->pos > PERF_LINE_MAX) {
			l->skipping = true;
			return give(l, l->len - l->pos, l->len - 1, line);
		}
		/* one byte of the line stays, so that an end here is seen as one in a line */
		if (l->skipping)
			l->pos = l->len - 1;
		got = fill(l, err);
		if (got < 0)
			return LINES_ERROR;
		if (got == 0)
			return give_rest(l, line);
	}
}

void lines_unread(struct lines *l)
{
	l->again = true;
}

bool lines_rest(const struct lines *l, struct str *s)
{
	*s = (struct str){ .p = l->buf + l->pos, .n = l->len - l->pos };
	return !l->skipping && !l->again;
}

int lines_more(struct lines *l, struct err *err)
{
	return fill(l, err);
}

void lines_take(struct lines *l, size_t n)
{
	l->pos += n;
	if (l->scanned < l->pos)
		l->scanned = l->pos;
}
