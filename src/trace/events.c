/* SPDX-License-Identifier: MIT */
#include "trace/events.h"

/* What a span is called. */
static uint16_t name_of(struct events *e, const struct span *s)
{
	if (s->name != INTERN_NONE)
		return strings_get(e->strings, STRING_NAME, s->name, 0);
	return strings_get(e->strings, STRING_PLACE, s->dso, s->addr);
}

static uint16_t inferred_name_of(struct events *e, const struct span *s)
{
	if (s->name != INTERN_NONE)
		return strings_get(e->strings, STRING_NAME_INFERRED, s->name, 0);
	return strings_get(e->strings, STRING_PLACE_INFERRED, s->dso, s->addr);
}

/*
 * An event on a track. All strings that it refers to must have been asked for: their records stand
 * before it.
 */
static struct fxt_event begin_event(struct events *e, enum fxt_event_type type, uint32_t track,
				    uint16_t name, int64_t time)
{
	uint8_t thread = tracks_index(e->tracks, track);

	return fxt_event_begin(e->fxt, type, thread, FIXED_CATEGORY, name, time);
}

static inline void end_event(struct events *e, const struct fxt_event *ev)
{
	fxt_event_end(e->fxt, ev);
	e->stats->spans++;
}

/* What is known of the function of a begin, or of where it was called from. */
static inline const struct source_entry *source_of(struct events *e, const struct span *s,
						   bool is_call)
{
	bool inlined = s->flags & SPAN_INLINED, elsewhere = is_call & !inlined;
	const struct source_place place = {
		.addr = elsewhere ? s->value : s->start,
		.pid = e->tracks->tracks[s->track].key.pid,
		.dso = elsewhere ? INTERN_NONE : s->dso,
		.inlined = inlined ? (uint32_t)s->value : 0,
		.is_call = is_call,
	};

	return source_find(e->source, &place);
}

/* The strings of a begin that only some have, 0: none, and what else is known of its function. */
struct begin_source {
	uint16_t file, called_from, clone;
	uint32_t line, col;
};

static struct begin_source find_source(struct events *e, const struct span *s)
{
	struct begin_source found = { 0 };
	const struct source_entry *source;

	if (!e->source)
		return found;
	source = source_of(e, s, false);
	found.line = source->line;
	found.col = source->col;
	if (source->file != INTERN_NONE)
		found.file = strings_get(e->strings, STRING_FILE, source->file, 0);
	if (source->clone != INTERN_NONE)
		found.clone = strings_get(e->strings, STRING_NAME, source->clone, 0);
	source = s->value ? source_of(e, s, true) : NULL;
	if (source && source->file != INTERN_NONE)
		found.called_from =
			strings_get(e->strings, STRING_FILE_LINE, source->file, source->line);
	return found;
}

/* By how many ns a begin's or an end's time may be wrong; more than 4 s count as these. */
static uint32_t doubt_of(const struct span *s)
{
	return s->end < UINT32_MAX ? (uint32_t)s->end : UINT32_MAX;
}

static inline struct events_form *form_slot(struct events *e, const struct span *s)
{
	uint64_t h =
		s->start * UINT64_C(0x9e3779b97f4a7c15) ^ s->value * UINT64_C(0xc2b2ae3d27d4eb4f);

	return &e->forms[(h >> 32) % EVENTS_FORMS];
}

/* Remembers how the begin of a span was written. */
static void keep_form(struct events *e, const struct span *s, const struct fxt_event *ev,
		      const struct begin_source *source)
{
	struct events_form *form = form_slot(e, s);
	const uint64_t *words = ev->head + 4;
	size_t n = (size_t)(ev->w - words);

	*form = (struct events_form){
		.start = s->start,
		.from = s->value,
		.dso = s->dso,
		.owner = s->track + 1,
		.redefined = (uint32_t)e->stats->redefined,
		.strings = { source->file, source->called_from, source->clone },
		.flags = s->flags,
		.args = (uint8_t)(ev->header >> 20 & 15),
		.n_words = (uint8_t)(2 + n),
		.symbol = source->file ? 1 + (source->col != 0) : 0,
	};
	memcpy(form->words, words, n * sizeof(*words));
}

/* Whether a begin looks the same each time. */
static inline bool has_form(const struct span *s)
{
	return (s->name != INTERN_NONE) & !(s->flags & ~SPAN_INLINED) & (s->end == 0);
}

static void write_begin(struct events *e, const struct span *s)
{
	struct begin_source source = find_source(e, s);
	uint16_t symbol = name_of(e, s), name = symbol;
	struct fxt_event ev;

	if ((s->flags & SPAN_INFERRED) && e->mark_inferred)
		name = inferred_name_of(e, s);
	ev = begin_event(e, FXT_BEGIN, s->track, name, s->time);
	fxt_arg_pointer(&ev, FIXED_ADDRESS, s->addr);
	if (source.file) {
		fxt_arg_uint32(&ev, FIXED_LINE, source.line);
		if (source.col)
			fxt_arg_uint32(&ev, FIXED_COL, source.col);
	}
	fxt_arg_string(&ev, FIXED_SYMBOL, symbol);
	if (source.file)
		fxt_arg_string(&ev, FIXED_FILE, source.file);
	if (source.clone)
		fxt_arg_string(&ev, FIXED_CLONE, source.clone);
	if (source.called_from)
		fxt_arg_string(&ev, FIXED_CALLED_FROM, source.called_from);
	if (s->flags & SPAN_INFERRED)
		fxt_arg_string(&ev, FIXED_INFERRED_START_TIME, FIXED_TRUE);
	if (s->flags & SPAN_SIGNAL)
		fxt_arg_string(&ev, FIXED_SIGNAL, FIXED_TRUE);
	if (s->end)
		fxt_arg_uint32(&ev, FIXED_DOUBT_BEGIN, doubt_of(s));
	if (s->flags & SPAN_INLINED)
		fxt_arg_string(&ev, FIXED_INLINED, FIXED_TRUE);
	if (has_form(s))
		keep_form(e, s, &ev, &source);
	end_event(e, &ev);
	e->stats->begins++;
}

static void write_end(struct events *e, const struct span *s)
{
	struct fxt_event ev = begin_event(e, FXT_END, s->track, name_of(e, s), s->time);

	if (s->value)
		fxt_arg_uint64(&ev, FIXED_FRAMES_BELOW, s->value);
	if (s->end)
		fxt_arg_uint32(&ev, FIXED_DOUBT_END, doubt_of(s));
	end_event(e, &ev);
}

static void write_complete(struct events *e, const struct span *s)
{
	struct fxt_event ev = begin_event(e, FXT_COMPLETE, s->track, name_of(e, s), s->time);

	fxt_word(&ev, (uint64_t)s->end);
	end_event(e, &ev);
}

static void write_counter(struct events *e, const struct span *s)
{
	struct fxt_event ev = begin_event(e, FXT_COUNTER, s->track, FIXED_CPU, s->time);

	fxt_arg_int(&ev, FIXED_FREQ, (int64_t)s->value);
	/*
	 * Counters belong to a process in viewers; the id keeps apart those of its threads, which
	 * run on CPUs of different frequencies.
	 */
	fxt_word(&ev, e->tracks->tracks[s->track].thread);
	end_event(e, &ev);
}

static void write_extra(struct events *e, const struct span *s)
{
	const struct track_key *owner = &e->tracks->tracks[s->owner].key;
	uint32_t event = e->tracks->tracks[s->track].key.event;
	uint16_t name = strings_get(e->strings, STRING_NAME, event, 0), symbol = name_of(e, s);
	struct fxt_event ev = begin_event(e, FXT_COMPLETE, s->track, name, s->time);

	fxt_arg_int(&ev, FIXED_TIMESTAMP, s->time);
	fxt_arg_string(&ev, FIXED_SYMBOL, symbol);
	fxt_arg_pointer(&ev, FIXED_ADDR, s->addr);
	fxt_arg_int(&ev, FIXED_COUNT, (int64_t)s->value);
	fxt_arg_int(&ev, FIXED_PID, owner->pid);
	fxt_arg_int(&ev, FIXED_TID, owner->tid);
	fxt_word(&ev, (uint64_t)s->time);
	end_event(e, &ev);
}

/* The payload's bytes, lowest first, when all up to the zeros at the end are printable; else 0. */
static size_t payload_text(uint64_t payload, char text[8])
{
	size_t n = 0;

	for (; payload; payload >>= 8) {
		char c = (char)(payload & 0xff);

		if (c < ' ' || c > '~')
			return 0;
		text[n++] = c;
	}
	return n;
}

static void write_ptwrite(struct events *e, const struct span *s)
{
	uint16_t symbol = name_of(e, s);
	struct fxt_event ev = begin_event(e, FXT_INSTANT, s->track, FIXED_PTWRITE, s->time);
	char text[8];
	size_t n = payload_text(s->value, text);

	fxt_arg_pointer(&ev, FIXED_PAYLOAD, s->value);
	if (n)
		fxt_arg_short_text(&ev, FIXED_TEXT, text, n);
	fxt_arg_pointer(&ev, FIXED_ADDRESS, s->addr);
	fxt_arg_string(&ev, FIXED_SYMBOL, symbol);
	end_event(e, &ev);
}

/* Viewers tie an arrow's ends to the frames that are open in the file where these stand. */
static void write_arrow(struct events *e, const struct span *s, enum fxt_event_type type)
{
	struct fxt_event ev = begin_event(e, type, s->track, FIXED_GOES_ON, s->time);

	fxt_word(&ev, s->value);
	end_event(e, &ev);
}

static __attribute__((noinline)) void write_any(struct events *e, const struct span *s)
{
	switch ((enum span_kind)s->kind) {
	case SPAN_BEGIN: write_begin(e, s); break;
	case SPAN_END: write_end(e, s); break;
	case SPAN_COMPLETE: write_complete(e, s); break;
	case SPAN_COUNTER: write_counter(e, s); break;
	case SPAN_EXTRA: write_extra(e, s); break;
	case SPAN_PTWRITE: write_ptwrite(e, s); break;
	case SPAN_ARROW_FROM: write_arrow(e, s, FXT_FLOW_BEGIN); break;
	case SPAN_ARROW_TO: write_arrow(e, s, FXT_FLOW_END); break;
	}
	if (s->kind != SPAN_COUNTER && !(s->flags & SPAN_ERROR))
		e->stats->drawn++;
}

/* Whether s is a begin that looks like form, or an end with nothing but its name. */
static inline bool fits(const struct events *e, const struct events_form *form,
			const struct span *s)
{
	bool end = s->kind == SPAN_END;
	bool same = (form->start == s->start) & (form->from == s->value) & (form->dso == s->dso) &
		    (form->owner == s->track + 1) & (form->flags == s->flags);
	bool valid = (form->redefined == (uint32_t)e->stats->redefined) |
		     !(form->strings[0] | form->strings[1] | form->strings[2]);

	return (s->kind <= SPAN_END) & (s->end == 0) & ((same & valid) | end) &
	       !(end & (s->value != 0)) & !(s->flags & SPAN_ERROR);
}

/*
 * Nearly all begins look like one before, and all that they refer to is defined. Whether a begin or
 * an end comes next cannot be predicted, and a wrong guess costs the CPU more than all the rest: so
 * both take the same way without a branch, and an end drops at last the arguments of a begin.
 */
void events_span(struct events *e, const struct span *s)
{
	const struct events_form *form = form_slot(e, s);
	unsigned end = s->kind == SPAN_END;
	uint16_t name = strings_known_name(e->strings, s->name);
	uint8_t thread = tracks_known_index(e->tracks, s->track);
	struct fxt_event ev;

	strings_record(e->strings);
	if (__builtin_expect(!fits(e, form, s) || !name || !thread || !fxt_has_room(e->fxt), 0)) {
		write_any(e, s);
		return;
	}
	form = end ? &e->end : form;
	strings_use(e->strings, name);
	for (unsigned i = 0; i < 3; i++)
		strings_use(e->strings, form->strings[i]);
	tracks_use(e->tracks, thread);
	ev = fxt_event_begin(e->fxt, FXT_BEGIN + end, thread, FIXED_CATEGORY, name, s->time);
	fxt_arg_pointer(&ev, FIXED_ADDRESS, s->addr);
	fxt_put_args(&ev, form->words, EVENTS_FORM_WORDS);
	fxt_put_string(&ev, 2u + form->symbol, FIXED_SYMBOL, name);
	fxt_set_args(&ev, form->args, form->n_words);
	end_event(e, &ev);
	e->stats->begins += 1 - end;
	e->stats->drawn++;
}

void events_hit(struct events *e, const struct hit_span *h)
{
	struct fxt_event ev;
	uint16_t name;

	strings_record(e->strings);
	name = strings_get(e->strings, STRING_HIT, h->name, 0);
	ev = begin_event(e, FXT_COMPLETE, h->track, name, h->start);
	fxt_arg_int(&ev, FIXED_TIMESTAMP_PASSED, h->passed);
	if (h->has_arg)
		fxt_arg_uint64(&ev, FIXED_ARG, h->arg);
	fxt_arg_int(&ev, FIXED_TIMESTAMP, h->time);
	fxt_arg_int(&ev, FIXED_TID, h->tid);
	fxt_arg_pointer(&ev, FIXED_IP, h->ip);
	fxt_word(&ev, (uint64_t)h->time);
	end_event(e, &ev);
}
