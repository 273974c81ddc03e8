/* SPDX-License-Identifier: MIT */
#include "perf/notes.h"

#include "base/xalloc.h"

#include <stdlib.h>

/* The last few places are for a note of each kind that stands for all further names. */
#define NAMED_MAX (NOTES_MAX - 8)
#define OTHERS    STR("[other names]")

void notes_fini(struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		free((char *)notes->v[i].what.p);
		free((char *)notes->v[i].first.p);
	}
	notes->n = 0;
}

static struct perf_note *find(struct notes *notes, enum perf_note_kind kind, struct str what)
{
	for (size_t i = 0; i < notes->n; i++)
		if (notes->v[i].kind == kind && str_eq(notes->v[i].what, what))
			return &notes->v[i];
	return NULL;
}

static struct str copy(struct str s)
{
	if (s.n > NOTES_SHOWN)
		s.n = NOTES_SHOWN;
	return (struct str){ .p = xmemdup0(s.p, s.n), .n = s.n };
}

void notes_add(struct notes *notes, enum perf_note_kind kind, struct str what, struct str line,
	       uint64_t number)
{
	struct perf_note *note;

	if (kind == PERF_NOTE_LINE || kind == PERF_NOTE_LONG)
		notes->lost++;
	if (what.n > NOTES_SHOWN)
		what.n = NOTES_SHOWN;
	note = find(notes, kind, what);
	if (!note && what.n && notes->n >= NAMED_MAX) {
		what = OTHERS;
		note = find(notes, kind, what);
	}
	if (note) {
		note->count++;
		return;
	}
	note = &notes->v[notes->n++];
	*note = (struct perf_note){
		.kind = kind,
		.what = copy(what),
		.first = copy(line),
		.line = number,
		.count = 1,
	};
	if (notes->on_first)
		notes->on_first(notes->ctx, note);
}
