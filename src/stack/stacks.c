/* SPDX-License-Identifier: MIT */
#include "stack/stacks.h"

#include "base/xalloc.h"
#include "stack/branch.h"
#include "stack/doubt.h"
#include "stack/hits.h"
#include "stack/loss.h"
#include "stack/ocaml.h"
#include "stack/regions.h"
#include "stack/sample.h"
#include "stack/table.h"

#include <stdlib.h>

struct stacks {
	struct shared shared;
	struct table table;
	struct regions regions;
	struct spool early; /* struct event: errors without a time, read before the base is known */
	struct trigger_hit *hits;
	int64_t base; /* perf's clock, ns */
	bool has_base;
	uint32_t files;   /* begun, see stacks_next_file */
	bool file_begins; /* no branch or sample of this data file was read yet */
};

static uint32_t filter_name(struct intern *names, struct str name)
{
	return name.n ? intern_add(names, name) : INTERN_NONE;
}

struct stacks *stacks_new(const struct stacks_config *config)
{
	struct stacks *s = xcalloc(1, sizeof(*s));
	struct intern *names = config->names;

	s->shared.config = *config;
	known_init(&s->shared.known, names);
	outlet_init(&s->shared.outlet, &config->sink, config->pool);
	if (config->inlined)
		s->shared.inlines = inlines_new(config->inlined, config->ctx);
	s->shared.stats.first = -1;
	table_init(&s->table);
	regions_init(&s->regions, &s->shared.outlet, filter_name(names, config->filter_start),
		     filter_name(names, config->filter_stop));
	s->regions.filter.named = config->filter_named;
	s->regions.filter.ctx = config->ctx;
	spool_init(&s->early, config->pool, sizeof(struct event));
	if (config->n_hits) {
		s->hits = xreallocarray(NULL, config->n_hits, sizeof(*s->hits));
		memcpy(s->hits, config->hits, config->n_hits * sizeof(*s->hits));
	}
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	table_fini(&s->table);
	regions_fini(&s->regions);
	spool_fini(&s->early);
	outlet_fini(&s->shared.outlet);
	inlines_free(s->shared.inlines);
	free(s->hits);
	free(s);
}

static void set_base(struct stacks *s, int64_t time)
{
	const struct stacks_config *config = &s->shared.config;
	int64_t first = hits_first(s->hits, config->n_hits);

	s->base = first < time ? first : time;
	if (config->has_begin && config->begin < s->base)
		s->base = config->begin;
	s->has_base = true;
	if (config->base)
		config->base(config->ctx, s->base);
	hits_write(s->hits, config->n_hits, s->base, config->names, &config->sink);
}

static uint32_t extra_track(struct stacks *s, const struct event *ev)
{
	struct span_sink *sink = &s->shared.config.sink;
	struct track_key key = { .kind = TRACK_EXTRA, .pid = ev->pid, .event = ev->extra.name };

	return sink->track(sink->ctx, &key);
}

static void place_span(struct span *span, const struct location *place)
{
	span->addr = place->addr;
	span->start = place->addr - place->off;
	span->name = place->sym;
	span->dso = place->dso;
}

/* A span that has nothing to do with the stack goes straight out. */
static void write_direct(struct stacks *s, struct thread *th, int64_t t, const struct event *ev)
{
	struct span span = { .time = t, .end = t };

	if (s->shared.outlet.muted)
		return;
	span.track = thread_track(th);
	switch (ev->kind) {
	case EVENT_CBR:
		span.kind = SPAN_COUNTER;
		span.value = ev->cbr.mhz;
		break;
	case EVENT_PTWRITE:
		span.kind = SPAN_PTWRITE;
		span.value = ev->ptwrite.payload;
		place_span(&span, &ev->ptwrite.place);
		break;
	case EVENT_EXTRA:
		span.kind = SPAN_EXTRA;
		span.value = ev->extra.count;
		span.owner = span.track;
		span.track = extra_track(s, ev);
		place_span(&span, &ev->extra.place);
		break;
	default:
		span.kind = SPAN_COMPLETE;
		span.flags = SPAN_ERROR;
		span.addr = ev->error.ip;
		span.start = ev->error.ip;
		span.name = known_decode_error(&s->shared.known, ev->error.message);
		break;
	}
	outlet_span(&s->shared.outlet, &span);
}

/* The mapped time of an event, before any shift; an error without one is at its thread's last. */
static int64_t mapped_time(const struct stacks *s, const struct thread *th, const struct event *ev)
{
	if (!ev->has_time)
		return th->started ? th->last_event_time : 0;
	return ev->time - s->base;
}

static void note_time(struct stacks *s, int64_t t)
{
	struct stacks_stats *stats = &s->shared.stats;

	if (stats->first < 0 || t < stats->first)
		stats->first = t;
	if (t > stats->last)
		stats->last = t;
}

/* A stretch of the trace is missing. */
static void lose(struct thread *th, int64_t t, uint32_t code)
{
	switch (code) {
	case ERROR_OVERFLOW: loss_begin(th, t); break;
	case ERROR_LOST: loss_announce(th, t); break;
	default: thread_end(th, t); break;
	}
}

static void apply(void *ctx, struct thread *th, const struct event *ev)
{
	struct stacks *s = ctx;
	bool filtered = filter_on(&s->regions.filter);
	int64_t own, t;

	if (filtered)
		regions_sync(&s->regions, th);
	own = mapped_time(s, th, ev);
	if (!th->started)
		thread_start(th, own);
	t = thread_time(th, own);
	note_time(s, t);
	if (filtered)
		regions_follow(&s->regions, th, t, ev->region);
	switch (ev->kind) {
	case EVENT_BRANCH:
		loss_follow(th, t, ev->branch.state == TRACE_START);
		branch_apply(th, t, ev);
		break;
	case EVENT_SAMPLE: sample_apply(th, t, ev); break;
	case EVENT_ERROR:
		write_direct(s, th, t, ev);
		ocaml_forget(th);
		lose(th, t, ev->error.code);
		break;
	default: write_direct(s, th, t, ev); break;
	}
}

static void deliver(struct stacks *s, struct thread *th, const struct event *ev)
{
	if (doubt_concerns(th, ev))
		doubt_feed(th, ev, apply, s);
	else
		apply(s, th, ev);
}

/* The context of deliver_queued. */
struct delivery {
	struct stacks *s;
	struct thread *th;
};

static void deliver_queued(void *ctx, void *rec)
{
	struct delivery *d = ctx;

	deliver(d->s, d->th, rec);
}

/* The transaction was committed: what happened in it did happen. */
static void commit(struct stacks *s, struct thread *th)
{
	struct delivery d = { .s = s, .th = th };

	if (!spool_count(&th->queue))
		return;
	spool_each(&th->queue, deliver_queued, &d);
	spool_clear(&th->queue);
}

/* What happens in a transaction waits until it is known that it was not undone. */
static void feed_thread(struct stacks *s, struct thread *th, const struct event *ev)
{
	struct stacks_stats *stats = &s->shared.stats;
	bool aborted = ev->kind == EVENT_BRANCH && ev->branch.kind == BRANCH_TX_ABRT;

	if (aborted) {
		stats->tx_aborted += spool_count(&th->queue);
		spool_clear(&th->queue);
	} else if (ev->kind == EVENT_ERROR) {
		stats->tx_lost += spool_count(&th->queue);
		spool_clear(&th->queue);
	} else if (ev->in_tx) {
		*(struct event *)spool_push(&th->queue) = *ev;
		return;
	} else {
		commit(s, th);
	}
	deliver(s, th, ev);
}

/* The first branch or sample of a data file: nothing is known of what lies between it and before.
 */
static void begin_file(struct stacks *s, int64_t t)
{
	uint32_t i;

	s->file_begins = false;
	for (i = 0; i < s->table.n; i++) {
		struct thread *th = s->table.threads[i];

		if (!th->started)
			continue;
		if (filter_on(&s->regions.filter))
			regions_sync(&s->regions, th);
		doubt_settle(th, apply, s);
		thread_end(th, th->last_event_time);
		thread_new_file(th, t, s->files <= 1);
	}
}

static void feed(struct stacks *s, struct event *ev)
{
	struct thread *th;

	regions_mark(&s->regions, ev);
	if (s->file_begins && (ev->kind == EVENT_BRANCH || ev->kind == EVENT_SAMPLE))
		begin_file(s, ev->time - s->base);
	th = table_thread(&s->table, &s->shared, ev->pid, ev->tid);
	if (s->shared.config.skip_tx)
		deliver(s, th, ev);
	else
		feed_thread(s, th, ev);
}

static void feed_early(void *ctx, void *rec)
{
	feed(ctx, rec);
}

/* Nothing may be written before the base is known; from here on it is. */
static void begin(struct stacks *s, int64_t time)
{
	set_base(s, time);
	spool_each(&s->early, feed_early, s);
	spool_clear(&s->early);
}

void stacks_feed(struct stacks *s, struct event *ev)
{
	if (!s->has_base && !ev->has_time) {
		*(struct event *)spool_push(&s->early) = *ev;
		return;
	}
	if (!s->has_base)
		begin(s, ev->time);
	feed(s, ev);
}

void stacks_next_file(struct stacks *s)
{
	regions_end_file(&s->regions);
	if (!s->files && s->table.n)
		s->files = 1; /* it was not said that the first one began */
	s->files++;
	s->file_begins = true;
}

void stacks_finish(struct stacks *s)
{
	uint32_t i;

	/* Nothing but errors without a time: they are drawn at the first hit, or at 0. */
	if (!s->has_base && spool_count(&s->early))
		begin(s, s->hits ? INT64_MAX : 0);
	regions_end_file(&s->regions);
	for (i = 0; i < s->table.n; i++) {
		commit(s, s->table.threads[i]);
		doubt_settle(s->table.threads[i], apply, s);
	}
	for (i = 0; i < s->table.n; i++)
		if (s->table.threads[i]->started)
			thread_end(s->table.threads[i], s->table.threads[i]->last_event_time);
	s->shared.stats.regions = s->regions.filter.ended;
}

const struct stacks_stats *stacks_stats(const struct stacks *s)
{
	return &s->shared.stats;
}
