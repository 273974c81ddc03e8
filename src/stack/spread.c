/* SPDX-License-Identifier: MIT */
#include "stack/spread.h"

/* Records of the list that are no spans: kinds behind those of enum span_kind. */
enum mark {
	MARK_UNKNOWN = 64, /* time: created; value: whether it encloses other spans */
	MARK_INFER,        /* time: created */
	MARK_OPEN,         /* time: created */
	MARK_CLOSE,
	MARK_DROP, /* value: how many */
};

/* Takes its share of the time, and is not written. Beside enum span_flag. */
#define FLAG_HIDDEN 0x80

/* A begin that takes no share of the time. */
#define FLAG_INSTANT 0x40

/* The state of one walk over the list. */
struct walk {
	struct spread *sp;
	int64_t base;   /* where the time begins that the spans share, ns since the base */
	int64_t offset; /* of the place in the list from there, ns */
	int64_t last;   /* the time of the newest span, ns */
	int64_t total;  /* of the time that they share, ns */
	double speed;   /* by work: ns for each unit of it */
	uint64_t calls; /* still to come */
	uint64_t empty; /* "[unknown]"s of no length and with nothing in them, see below */
	struct span unknown;
};

void spread_init(struct spread *sp, struct outlet *out, struct spool_pool *pool)
{
	*sp = (struct spread){ .time = 0 };
	hold_init(&sp->hold, out, pool);
	spool_init(&sp->list, pool, sizeof(struct span));
}

void spread_fini(struct spread *sp)
{
	hold_fini(&sp->hold);
	spool_fini(&sp->list);
}

/*
 * The time at which what was on a stack all the time began. A stack in front of another began when
 * the walk came to its mark: calls before it may have been given a later time than its own.
 */
static int64_t created_time(const struct walk *w, const struct span *mark)
{
	const struct hold *hold = &w->sp->hold;
	int64_t t = mark->time < 0 ? 0 : mark->time;

	if (hold->n < 2)
		return t;
	/* By work, it may also have been given an earlier time than its own. */
	if (w->sp->by_work || t < hold->groups[hold->n - 1].time)
		t = hold->groups[hold->n - 1].time;
	return t;
}

/*
 * A complete event must be a leaf: viewers cut what begins inside and ends behind it. So one that
 * encloses something, or begins where a frame found later will, is a begin and an end.
 */
static void write_unknown(struct walk *w, const struct span *mark, int64_t t)
{
	struct span span = *mark;

	if (mark->flags & FLAG_HIDDEN)
		return;
	span.time = created_time(w, mark);
	span.end = 0;
	span.value = 0;
	if (!mark->value && span.time == t) {
		span.kind = SPAN_COMPLETE;
		span.end = t;
		hold_front(&w->sp->hold, &span);
		return;
	}
	span.kind = SPAN_BEGIN;
	hold_front(&w->sp->hold, &span);
	span.kind = SPAN_END;
	span.time = t;
	hold_put(&w->sp->hold, &span);
}

/*
 * An "[unknown]" without length or content lies before the frame that it returned to, rather than
 * in it: it is kept back until the mark behind it is known.
 */
static void write_empty(struct walk *w)
{
	for (; w->empty; w->empty--)
		write_unknown(w, &w->unknown, w->base + w->offset);
}

/* By work: how far on in the time that all share the span or mark is, told when it was added. */
static int64_t offset_of(const struct walk *w, const struct span *span)
{
	int64_t done = span->end;

	/* What came last happened at the very end. */
	if (done == (int64_t)w->sp->work && done)
		return w->total;
	return (int64_t)((double)done * w->speed);
}

/*
 * By how much the time of the walk's place may be wrong: it lies somewhere between the two
 * timestamps around it, unless it is one of them.
 */
static int64_t doubt(const struct walk *w)
{
	int64_t left = w->total - w->offset, most = left > w->offset ? left : w->offset;

	return left && w->offset && most > SPREAD_SURE ? most : 0;
}

static void write_span(struct walk *w, struct span *span)
{
	span->time = w->base + w->offset;
	if (w->sp->by_work)
		span->end = doubt(w);
	else if (span->kind == SPAN_BEGIN && !(span->flags & FLAG_INSTANT)) {
		w->offset += (w->total - w->offset) / (int64_t)w->calls;
		w->calls--;
	}
	w->last = span->time;
	span->flags &= (uint8_t)~FLAG_INSTANT;
	if (!(span->flags & FLAG_HIDDEN))
		hold_put(&w->sp->hold, span);
}

static void open_stack(struct walk *w, const struct span *mark)
{
	int64_t t = w->sp->by_work && w->sp->hold.n ? w->base + w->offset : created_time(w, mark);

	hold_open(&w->sp->hold, t < w->last ? w->last : t);
}

static void step(void *ctx, void *rec)
{
	struct walk *w = ctx;
	struct span *span = rec;
	int64_t now;

	if (w->sp->by_work)
		w->offset = offset_of(w, span);
	if (span->kind < MARK_UNKNOWN && !w->empty) {
		write_span(w, span);
		return;
	}
	now = w->base + w->offset;
	if (span->kind == MARK_UNKNOWN && !span->value && created_time(w, span) == now) {
		w->unknown = *span;
		w->empty++;
		return;
	}
	if (w->empty && span->kind != MARK_INFER)
		write_empty(w);
	switch (span->kind) {
	case MARK_UNKNOWN: write_unknown(w, span, now); break;
	case MARK_INFER:
		span->kind = SPAN_BEGIN;
		span->time = created_time(w, span);
		span->end = 0;
		hold_front(&w->sp->hold, span);
		write_empty(w);
		break;
	case MARK_OPEN: open_stack(w, span); break;
	case MARK_CLOSE: hold_close(&w->sp->hold); break;
	case MARK_DROP: hold_drop(&w->sp->hold, span->value); break;
	default: write_span(w, span); break;
	}
}

/* Gives times from base on to all that waits. */
static void give_times(struct spread *sp, int64_t base, int64_t total)
{
	struct walk w = { .sp = sp, .base = base, .total = total, .calls = sp->calls };

	if (sp->work)
		w.speed = (double)total / (double)sp->work;
	spool_each(&sp->list, step, &w);
	write_empty(&w);
	spool_clear(&sp->list);
	sp->spans = sp->calls = 0;
}

void spread_flush(struct spread *sp, int64_t t)
{
	int64_t end = sp->time > sp->from || sp->exact ? sp->time : t;

	if (!sp->by_work) {
		if (sp->spans)
			give_times(sp, sp->time, t - sp->time);
	} else {
		if (sp->spans)
			give_times(sp, sp->from, end - sp->from);
		sp->from = end;
		sp->work = 0;
		sp->exact = false;
	}
	sp->time = t;
}

void spread_part(struct spread *sp, int64_t t)
{
	sp->from = t < 0 ? 0 : t;
	sp->work = 0;
	sp->exact = false;
	sp->fresh = true;
	if (sp->by_work)
		sp->time = t;
}

void spread_by_work(struct spread *sp)
{
	if (sp->spans)
		spread_flush(sp, sp->time);
	else
		sp->time = sp->from;
	sp->by_work = true;
	spread_part(sp, sp->time);
}

void spread_start(struct spread *sp, int64_t t)
{
	if (t != sp->time)
		spread_flush(sp, t);
	spread_flush(sp, t);
	sp->from = t;
	sp->fresh = false;
}

void spread_next(struct spread *sp, int64_t t)
{
	if (sp->fresh)
		spread_start(sp, t);
	/* What happened behind an exact time shares the time up to the next one with what is next.
	 */
	else if (sp->time > sp->from || sp->exact)
		spread_flush(sp, t);
	sp->time = t;
}

/* Room for a span of timestamp t. */
static struct span *add(struct spread *sp, int64_t t)
{
	if (t != sp->time)
		spread_flush(sp, t);
	sp->spans++;
	return spool_push(&sp->list);
}

/* Marks only wait behind spans: alone, they are carried out at once. */
static void add_mark(struct spread *sp, const struct span *mark)
{
	struct walk w = { .sp = sp, .base = sp->by_work ? sp->from : sp->time };
	struct span copy = *mark;

	copy.end = (int64_t)sp->work;
	if (sp->spans)
		*(struct span *)spool_push(&sp->list) = copy;
	else
		step(&w, &copy);
}

static struct span of_frame(const struct spread *sp, uint8_t kind, const struct frame *frame)
{
	return (struct span){
		.addr = frame->addr,
		.start = frame->start,
		.end = (int64_t)sp->work,
		.track = sp->track,
		.name = frame->sym,
		.dso = frame->dso,
		.kind = kind,
		.flags = (uint8_t)((frame->hidden ? FLAG_HIDDEN : 0) |
				   (frame->kind == FRAME_INLINED ? SPAN_INLINED : 0)),
	};
}

void spread_begin(struct spread *sp, int64_t t, const struct frame *frame)
{
	struct span *span = add(sp, t);

	*span = of_frame(sp, SPAN_BEGIN, frame);
	span->value = frame->from;
	if (frame->again)
		span->flags |= FLAG_INSTANT;
	else
		sp->calls++;
	if (frame->kind == FRAME_SIGNAL)
		span->flags |= SPAN_SIGNAL;
}

void spread_end(struct spread *sp, int64_t t, const struct frame *frame, uint64_t below)
{
	struct span *span = add(sp, t);

	*span = of_frame(sp, SPAN_END, frame);
	span->value = below;
}

void spread_arrow(struct spread *sp, int64_t t, enum span_kind kind, uint32_t number)
{
	*add(sp, t) = (struct span){
		.end = (int64_t)sp->work,
		.track = sp->track,
		.value = number,
		.kind = (uint8_t)kind,
	};
}

void spread_end_at(struct spread *sp, int64_t t, const struct frame *frame, uint32_t group)
{
	struct span span = of_frame(sp, SPAN_END, frame);

	span.time = t;
	span.end = 0;
	hold_put_around(&sp->hold, group, &span);
}

void spread_unknown(struct spread *sp, int64_t t, int64_t created, uint32_t name, bool encloses,
		    bool hidden)
{
	*add(sp, t) = (struct span){
		.time = created,
		.end = (int64_t)sp->work,
		.track = sp->track,
		.name = name,
		.value = encloses,
		.kind = MARK_UNKNOWN,
		.flags = hidden ? FLAG_HIDDEN : 0,
	};
}

void spread_infer(struct spread *sp, int64_t created, const struct frame *frame)
{
	struct span mark = of_frame(sp, MARK_INFER, frame);

	if (frame->hidden)
		return;
	mark.time = created;
	mark.flags = SPAN_INFERRED;
	add_mark(sp, &mark);
}

void spread_redraw(struct spread *sp, int64_t t, const struct frame *frame)
{
	struct span span = of_frame(sp, SPAN_BEGIN, frame);

	span.time = t;
	span.end = 0;
	span.value = frame->from;
	span.flags |= SPAN_INFERRED | (frame->kind == FRAME_SIGNAL ? SPAN_SIGNAL : 0);
	hold_put(&sp->hold, &span);
}

void spread_open(struct spread *sp, int64_t created)
{
	add_mark(sp, &(struct span){ .time = created, .kind = MARK_OPEN });
}

void spread_close(struct spread *sp)
{
	add_mark(sp, &(struct span){ .kind = MARK_CLOSE });
}

void spread_drop(struct spread *sp, uint32_t n)
{
	add_mark(sp, &(struct span){ .value = n, .kind = MARK_DROP });
}

void spread_reset(struct spread *sp, int64_t t)
{
	spool_clear(&sp->list);
	sp->spans = sp->calls = 0;
	sp->time = t;
	spread_part(sp, t);
	hold_reset(&sp->hold);
}
