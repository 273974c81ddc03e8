/* SPDX-License-Identifier: MIT */
#include "perf/text.h"

#include "base/num.h"
#include "base/xalloc.h"
#include "perf/branch.h"
#include "perf/chain.h"
#include "perf/evname.h"
#include "perf/head.h"
#include "perf/lines.h"
#include "perf/notes.h"
#include "perf/place.h"
#include "perf/records.h"
#include "perf/scan.h"
#include "perf/synth.h"
#include "perf/trouble.h"

#include <stdlib.h>
#include <string.h>

/* How perf's own records begin, which some of its options show as well. */
#define RECORD STR("PERF_RECORD_")

struct perf_text {
	enum perf_mode mode;
	struct intern *names; /* borrowed */
	struct lines lines;
	struct places *places; /* owned */
	struct head_memory heads;
	struct evnames evnames;
	struct chain chain;
	struct notes notes;
	struct perf_text_stats stats;
	struct records *records; /* owned; NULL: there were never to be any */
	uint64_t bad_offsets;    /* of records, that are counted */
	bool filtered;           /* there may be some in this text */
	bool repeated;           /* another perf has said already what this one says */
	bool in_own;     /* what is not understood now belongs to one of perf's own records */
	bool in_record;  /* frames that come now belong to a record that is dealt with */
	bool in_warning; /* the next line is what a "Warning:" says */
};

/* What becomes of a line. */
enum outcome {
	FAILED = -1, /* reading on failed */
	NOTHING,     /* no event */
	EVENT,
};

struct perf_text *perf_text_new(enum perf_mode mode, struct intern *names,
				void (*note)(void *ctx, const struct perf_note *note), void *ctx)
{
	struct perf_text *t = xcalloc(1, sizeof(*t));

	t->mode = mode;
	t->names = names;
	lines_init(&t->lines);
	t->places = places_new(names);
	t->notes.on_first = note;
	t->notes.ctx = ctx;
	return t;
}

void perf_text_free(struct perf_text *t)
{
	if (!t)
		return;
	lines_fini(&t->lines);
	places_free(t->places);
	chain_fini(&t->chain);
	records_free(t->records);
	notes_fini(&t->notes);
	free(t);
}

void perf_text_input(struct perf_text *t, struct input input)
{
	lines_input(&t->lines, input);
	t->in_record = t->in_warning = false;
	t->filtered = t->in_own = t->repeated = false;
}

void perf_text_repeated(struct perf_text *t)
{
	t->repeated = true;
}

static struct records *records_of(struct perf_text *t)
{
	if (!t->records)
		t->records = records_new(t->names);
	return t->records;
}

void perf_text_namer(struct perf_text *t,
		     void (*name)(void *ctx, int32_t pid, struct location *loc), void *ctx)
{
	records_namer(records_of(t), name, ctx);
}

void perf_text_records(struct perf_text *t, uint64_t cookie)
{
	records_begin(records_of(t), cookie);
	t->filtered = true;
}

bool perf_text_has_records(const struct perf_text *t)
{
	return t->filtered && records_seen(t->records);
}

const struct perf_text_stats *perf_text_stats(const struct perf_text *t)
{
	return &t->stats;
}

const struct perf_note *perf_text_notes(const struct perf_text *t, size_t *n)
{
	*n = t->notes.n;
	return t->notes.v;
}

static enum outcome note(struct perf_text *t, enum perf_note_kind kind, struct str what,
			 struct str line)
{
	if (!t->repeated || kind != PERF_NOTE_MESSAGE)
		notes_add(&t->notes, kind, what, line, t->lines.number);
	return NOTHING;
}

/* One of perf's own records (a mapping, a new thread), which it shows when it is asked to. */
static enum outcome own_record(struct perf_text *t, struct str line)
{
	t->in_own = t->filtered;
	if (t->filtered)
		return NOTHING;
	return note(t, PERF_NOTE_MESSAGE, STR(""), line);
}

/* A sampled stack: the chain on the lines below, or else the one place on the line itself. */
static enum outcome read_sample(struct perf_text *t, struct str line, struct str name,
				struct str rest, struct event *ev, struct err *err)
{
	enum evclass class = evname_class(name);
	char kept_line[NOTES_SHOWN], kept_name[NOTES_SHOWN];
	uint64_t number = t->lines.number;
	struct location place;
	bool has_place;

	/* the lines below may move the buffer from under this one */
	has_place = places_read_sampled(t->places, rest, &place);
	line.n = line.n < NOTES_SHOWN ? line.n : NOTES_SHOWN;
	name.n = name.n < NOTES_SHOWN ? name.n : NOTES_SHOWN;
	line.p = memcpy(kept_line, line.p, line.n);
	name.p = memcpy(kept_name, name.p, name.n);

	if (chain_read(&t->chain, &t->lines, t->places, &t->notes, err) < 0)
		return FAILED;
	if (t->chain.lines == 0 && has_place)
		chain_set(&t->chain, &place);
	else if (t->chain.lines == 0 && class != EVCLASS_SAMPLE) {
		notes_add(&t->notes, class == EVCLASS_UNDRAWN ? PERF_NOTE_UNDRAWN : PERF_NOTE_EVENT,
			  name, line, number);
		return NOTHING;
	}
	ev->kind = EVENT_SAMPLE;
	ev->sample.frames = t->chain.v;
	ev->sample.n = t->chain.n;
	return EVENT;
}

/* A sampled extra event: its place is the first frame below, or else on the line itself. */
static enum outcome read_extra(struct perf_text *t, const struct head *head, struct str name,
			       struct event *ev, struct err *err)
{
	struct location *place = &ev->extra.place;
	struct str line;
	enum lines_got got;
	bool has_place;

	ev->kind = EVENT_EXTRA;
	ev->extra.name = intern_add(t->names, name);
	ev->extra.count = head->period;
	has_place = places_read_sampled(t->places, head->rest, place);
	got = lines_next(&t->lines, &line, err);
	if (got == LINES_ERROR)
		return FAILED;
	if (got == LINES_LONG) {
		note(t, PERF_NOTE_LONG, STR(""), line);
	} else if (got == LINES_LINE && chain_is_frame(line)) {
		struct str text = line;

		scan_blanks(&text);
		has_place = places_read(t->places, text, place);
		if (!has_place)
			note(t, PERF_NOTE_LINE, STR(""), line);
	} else if (got == LINES_LINE) {
		lines_unread(&t->lines);
	}
	if (!has_place)
		*place = (struct location){ .sym = INTERN_NONE, .dso = INTERN_NONE };
	return EVENT;
}

/* An event of Intel PT's where only samples should be: its branch or synth could not be read. */
static enum outcome misplaced(struct perf_text *t, struct str name, struct str line)
{
	if (t->mode == PERF_SAMPLING)
		return note(t, PERF_NOTE_EVENT, name, line);
	return note(t, PERF_NOTE_LINE, STR(""), line);
}

static enum outcome read_event(struct perf_text *t, struct str line, const struct head *head,
			       struct event *ev, struct err *err)
{
	struct str name;
	enum evclass class = evnames_find(&t->evnames, head->event, &name);

	switch (class) {
	case EVCLASS_BRANCH:
		if (branch_read(t->places, head->rest, ev))
			return EVENT;
		if (t->mode == PERF_SAMPLING && scan_trim_end(head->rest).n == 0)
			return read_sample(t, line, name, head->rest, ev, err);
		return misplaced(t, name, line);
	case EVCLASS_PSB: return NOTHING;
	case EVCLASS_CBR:
		ev->kind = EVENT_CBR;
		if (synth_read_cbr(head->rest, &ev->cbr.mhz))
			return EVENT;
		return misplaced(t, name, line);
	case EVCLASS_PTWRITE:
		ev->kind = EVENT_PTWRITE;
		if (synth_read_ptwrite(t->places, head->rest, &ev->ptwrite.payload,
				       &ev->ptwrite.place))
			return EVENT;
		return misplaced(t, name, line);
	case EVCLASS_EXTRA: return read_extra(t, head, name, ev, err);
	case EVCLASS_SAMPLE: return read_sample(t, line, name, head->rest, ev, err);
	case EVCLASS_OTHER:
		if (str_starts(name, RECORD))
			return own_record(t, line);
		break;
	case EVCLASS_UNDRAWN: break;
	}
	if (t->mode == PERF_SAMPLING)
		return read_sample(t, line, name, head->rest, ev, err);
	return note(t, class == EVCLASS_UNDRAWN ? PERF_NOTE_UNDRAWN : PERF_NOTE_EVENT, name, line);
}

static bool begins_with_address(struct str s)
{
	uint64_t addr;

	scan_blanks(&s);
	return num_hex_lower(&s, &addr) && scan_blanks(&s);
}

/* A line that begins as events do. */
static enum outcome read_record(struct perf_text *t, struct str line, const struct head *head,
				struct event *ev, struct err *err)
{
	t->in_record = true;
	t->in_warning = t->in_own = false;
	ev->has_time = true;
	ev->in_tx = ev->named = false;
	ev->pid = head->pid;
	ev->tid = head->tid;
	ev->time = head->time;
	ev->region = 0;
	if (head->event.n)
		return read_event(t, line, head, ev, err);
	if (str_starts(head->rest, RECORD))
		return own_record(t, line);
	/* a field list without the event's name, but with flags */
	if (!begins_with_address(head->rest) && branch_read(t->places, head->rest, ev))
		return EVENT;
	return note(t, PERF_NOTE_LINE, STR(""), line);
}

/* A line that does not begin as our field list makes events begin. */
static enum outcome read_other(struct perf_text *t, struct str line, struct event *ev,
			       struct err *err)
{
	bool in_record = t->in_record, in_warning = t->in_warning;
	struct head head;

	if (in_record && chain_is_frame(line))
		return NOTHING;
	t->in_record = t->in_warning = false;
	if (scan_trim_end(line).n == 0)
		return NOTHING;
	if (trouble_read(line, t->names, ev)) {
		if (t->filtered)
			records_error(t->records, ev);
		return EVENT;
	}
	/* what the warning says is on the next line */
	if (str_eq(scan_trim_end(line), STR("Warning:"))) {
		t->in_warning = true;
		return NOTHING;
	}
	if (in_warning || trouble_is_message(line))
		return note(t, PERF_NOTE_MESSAGE, STR(""), line);
	if (head_read_comm(line, &head))
		return read_record(t, line, &head, ev, err);
	/* the path of a mapped file, or a thread's name, may hold a newline */
	if (t->in_own)
		return NOTHING;
	return note(t, PERF_NOTE_LINE, STR(""), line);
}

static enum outcome read_line(struct perf_text *t, struct str line, struct event *ev,
			      struct err *err)
{
	struct head head;

	/* a frame is indented by a TAB, whatever it looks like */
	if (t->in_record && line.n && line.p[0] == '\t')
		return NOTHING;
	if (head_read(&t->heads, line, &head))
		return read_record(t, line, &head, ev, err);
	return read_other(t, line, ev, err);
}

static void count(struct perf_text *t)
{
	t->stats.bytes = t->lines.bytes;
	t->stats.lines = t->lines.number;
	t->stats.lost = t->notes.lost;
	t->stats.cut = t->lines.cut;
	if (t->records)
		t->bad_offsets = records_bad_offsets(t->records);
	t->stats.bad_offsets = places_bad_offsets(t->places) + t->bad_offsets;
}

/* Takes records, if that is what is next, up to one that makes an event. */
static enum outcome take_records(struct perf_text *t, struct event *ev, struct err *err)
{
	for (;;) {
		struct str rest, left;
		enum records_got got;
		int more;

		if (!lines_rest(&t->lines, &rest))
			return NOTHING;
		left = rest;
		got = records_next(t->records, &left, ev);
		lines_take(&t->lines, rest.n - left.n);
		if (got == RECORDS_EVENT) {
			t->in_own = false;
			if (records_bad_offsets(t->records) != t->bad_offsets)
				count(t);
			return EVENT;
		}
		if (got == RECORDS_BAD)
			note(t, PERF_NOTE_LINE, STR(""), STR("a record of the filter's"));
		if (got != RECORDS_MORE)
			return NOTHING;
		more = lines_more(&t->lines, err);
		count(t);
		if (more <= 0)
			return more < 0 ? FAILED : NOTHING;
	}
}

int perf_text_next(struct perf_text *t, struct event *ev, struct err *err)
{
	enum outcome out = NOTHING;
	enum lines_got got = LINES_LINE;
	struct str line;

	while (out == NOTHING) {
		if (t->filtered)
			out = take_records(t, ev, err);
		if (out == EVENT) {
			t->stats.events++;
			return 1;
		}
		if (out != NOTHING)
			break;
		got = lines_next(&t->lines, &line, err);
		if (got == LINES_LINE)
			out = read_line(t, line, ev, err);
		else if (got == LINES_LONG)
			note(t, PERF_NOTE_LONG, STR(""), line);
		else
			break;
	}
	count(t);
	t->stats.events += out == EVENT;
	if (got == LINES_ERROR || out == FAILED)
		return -1;
	return out == EVENT;
}
