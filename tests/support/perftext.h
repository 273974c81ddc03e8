/* SPDX-License-Identifier: MIT */
/* perftext: reads a text of perf that a test has written out, as lines for the test to compare. */
#ifndef MT_TESTS_SUPPORT_PERFTEXT_H
#define MT_TESTS_SUPPORT_PERFTEXT_H

#include "base/input.h"
#include "base/intern.h"
#include "event/print.h"
#include "perf/text.h"

#include <stdio.h>
#include <string.h>

/* Bytes in memory, given out at most `piece` at a time; fails after `fail_at` of them (0: never).
 */
struct perftext_source {
	struct str left;
	size_t piece, given, fail_at;
};

static inline ssize_t perftext_read(void *ctx, void *buf, size_t size, struct err *err)
{
	struct perftext_source *s = ctx;
	size_t n = s->left.n < size ? s->left.n : size;

	if (s->fail_at && s->given >= s->fail_at)
		return err_set(err, "made to fail");
	n = n < s->piece ? n : s->piece;
	memcpy(buf, s->left.p, n);
	s->left = str_skip(s->left, n);
	s->given += n;
	return (ssize_t)n;
}

static inline struct input perftext_input(struct perftext_source *s, struct str text, size_t piece)
{
	*s = (struct perftext_source){ .left = text, .piece = piece };
	return (struct input){ .ctx = s, .read = perftext_read };
}

struct perftext {
	struct intern *names;
	struct perf_text *text;
	char events[65536]; /* each event as event_print writes it, and a newline */
	char notes[65536];  /* "KIND NAME xCOUNT @LINE", and a newline */
	size_t n_events;
};

static inline void perftext_init(struct perftext *p, enum perf_mode mode)
{
	memset(p, 0, sizeof(*p));
	p->names = intern_new(0);
	p->text = perf_text_new(mode, p->names, NULL, NULL);
}

static inline void perftext_fini(struct perftext *p)
{
	perf_text_free(p->text);
	intern_free(p->names);
}

/* Reads all of it; what perf_text_next returned last. */
static inline int perftext_run(struct perftext *p, struct str text, size_t piece)
{
	struct perftext_source source;
	struct event ev;
	struct err err;
	size_t at = 0;
	int got;

	perf_text_input(p->text, perftext_input(&source, text, piece));
	p->n_events = 0;
	p->events[0] = '\0';
	while ((got = perf_text_next(p->text, &ev, &err)) == 1) {
		p->n_events++;
		if (at + 1024 >= sizeof(p->events))
			continue;
		at += event_print(p->events + at, 1024, &ev, p->names);
		strcpy(p->events + at++, "\n");
	}
	return got;
}

static inline const char *perftext_notes(struct perftext *p)
{
	static const char *const kinds[] = {
		[PERF_NOTE_LINE] = "line",       [PERF_NOTE_EVENT] = "event",
		[PERF_NOTE_UNDRAWN] = "undrawn", [PERF_NOTE_LONG] = "long",
		[PERF_NOTE_MESSAGE] = "message", [PERF_NOTE_DEEP] = "deep",
	};
	size_t n, at = 0;
	const struct perf_note *notes = perf_text_notes(p->text, &n);

	p->notes[0] = '\0';
	for (size_t i = 0; i < n && at < sizeof(p->notes) - 400; i++)
		at += (size_t)snprintf(p->notes + at, 400, "%s %.*s x%llu @%llu\n",
				       kinds[notes[i].kind], (int)notes[i].what.n, notes[i].what.p,
				       (unsigned long long)notes[i].count,
				       (unsigned long long)notes[i].line);
	return p->notes;
}

#endif
