/* SPDX-License-Identifier: MIT */
#include "event/print.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NS_PER_S 1000000000
#define CUT      "..."

struct line {
	char *buf;
	size_t n, room; /* without the NUL */
	bool cut;
	const struct intern *names;
};

static void put_str(struct line *l, struct str s)
{
	size_t left = l->room - l->n;

	if (l->cut)
		return;
	l->cut = s.n > left;
	if (l->cut)
		s.n = left;
	memcpy(l->buf + l->n, s.p, s.n);
	l->n += s.n;
}

static void put(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Numbers and words; names, which may be long, go through put_str. */
static void put(struct line *l, const char *fmt, ...)
{
	char text[96];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	put_str(l, str_of(text));
}

static void put_symbol(struct line *l, const struct location *loc)
{
	if (loc->sym == INTERN_NONE) {
		put(l, "[unknown]");
		return;
	}
	put_str(l, intern_str(l->names, loc->sym));
	put(l, "+0x%" PRIx64, loc->off);
}

static void put_place(struct line *l, const struct location *loc)
{
	put(l, "%" PRIx64 " ", loc->addr);
	put_symbol(l, loc);
	if (loc->dso == INTERN_NONE)
		return;
	put(l, " (");
	put_str(l, intern_str(l->names, loc->dso));
	put(l, ")");
}

static void put_branch(struct line *l, const struct event *ev)
{
	static const char *const states[] = {
		[TRACE_ON] = "",
		[TRACE_START] = " start",
		[TRACE_END] = " end",
	};
	const char *word = branch_kind_word(ev->branch.kind);

	put(l, "branch%s%s%s%s ", states[ev->branch.state], *word ? " " : "", word,
	    ev->in_tx ? " tx" : "");
	put_place(l, &ev->branch.src);
	put(l, " => ");
	put_place(l, &ev->branch.dst);
}

static void put_sample(struct line *l, const struct event *ev)
{
	put(l, "sample %zu:", ev->sample.n);
	for (size_t i = 0; i < ev->sample.n && !l->cut; i++) {
		put(l, i ? " > " : " ");
		put_symbol(l, &ev->sample.frames[i]);
	}
}

static void put_kind(struct line *l, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_BRANCH: put_branch(l, ev); break;
	case EVENT_SAMPLE: put_sample(l, ev); break;
	case EVENT_EXTRA:
		put_str(l, intern_str(l->names, ev->extra.name));
		put(l, " %" PRIu64 " ", ev->extra.count);
		put_place(l, &ev->extra.place);
		break;
	case EVENT_CBR: put(l, "cbr %" PRIu32 " MHz", ev->cbr.mhz); break;
	case EVENT_PTWRITE:
		put(l, "ptwrite 0x%" PRIx64 " ", ev->ptwrite.payload);
		put_place(l, &ev->ptwrite.place);
		break;
	case EVENT_ERROR:
		put(l, "error %" PRIu32 " at 0x%" PRIx64 ": ", ev->error.code, ev->error.ip);
		put_str(l, intern_str(l->names, ev->error.message));
		break;
	}
}

size_t event_print(char *buf, size_t size, const struct event *ev, const struct intern *names)
{
	struct line l = { .buf = buf, .room = size - 1, .names = names };

	if (ev->has_time)
		put(&l, "%" PRId64 ".%09" PRId64, ev->time / NS_PER_S, ev->time % NS_PER_S);
	else
		put(&l, "-");
	put(&l, " %" PRId32 "/%" PRId32 " ", ev->pid, ev->tid);
	put_kind(&l, ev);
	if (l.cut)
		memcpy(buf + l.n - strlen(CUT), CUT, strlen(CUT));
	buf[l.n] = '\0';
	return l.n;
}
