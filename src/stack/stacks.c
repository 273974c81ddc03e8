/* SPDX-License-Identifier: MIT */
#include "stack/stacks.h"

#include "base/xalloc.h"
#include "stack/branch.h"
#include "stack/filter.h"
#include "stack/hits.h"
#include "stack/ocaml.h"
#include "stack/sample.h"
#include "stack/table.h"

#include <stdlib.h>

/* The track of an extra event's kind in one process. */
struct extra_track {
	int32_t pid;
	uint32_t event;
	uint32_t track;
};

struct stacks {
	struct shared shared;
	struct table table;
	struct filter filter;
	struct extra_track *extra;
	size_t n_extra, cap_extra;
	struct trigger_hit *hits;
	int64_t base; /* perf's clock, ns */
	bool has_base;
	uint32_t files;   /* begun, see stacks_next_file */
	bool file_begins; /* no branch or sample of this data file was read yet */
	bool inside;      /* what is fed now is written */
	uint32_t region;  /* inside: the filter's region */
	uint32_t left;    /* the newest region that was left */
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
	s->shared.stats.first = -1;
	table_init(&s->table);
	filter_init(&s->filter, filter_name(names, config->filter_start),
		    filter_name(names, config->filter_stop));
	s->inside = true;
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
	outlet_fini(&s->shared.outlet);
	free(s->extra);
	free(s->hits);
	free(s);
}

static void set_base(struct stacks *s, int64_t time)
{
	const struct stacks_config *config = &s->shared.config;
	int64_t first = hits_first(s->hits, config->n_hits);

	s->base = first < time ? first : time;
	s->has_base = true;
	if (config->base)
		config->base(config->ctx, s->base);
	hits_write(s->hits, config->n_hits, s->base, config->names, &config->sink);
}

static uint32_t extra_track(struct stacks *s, const struct event *ev)
{
	struct span_sink *sink = &s->shared.config.sink;
	struct track_key key = { .kind = TRACK_EXTRA, .pid = ev->pid, .event = ev->extra.name };
	size_t i;

	for (i = 0; i < s->n_extra; i++)
		if (s->extra[i].pid == key.pid && s->extra[i].event == key.event)
			return s->extra[i].track;
	if (s->n_extra == s->cap_extra) {
		s->cap_extra = s->cap_extra ? s->cap_extra * 2 : 4;
		s->extra = xreallocarray(s->extra, s->cap_extra, sizeof(*s->extra));
	}
	s->extra[s->n_extra++] = (struct extra_track){
		.pid = key.pid,
		.event = key.event,
		.track = sink->track(sink->ctx, &key),
	};
	return s->extra[s->n_extra - 1].track;
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
		span.addr = ev->error.ip;
		span.start = ev->error.ip;
		span.name = known_decode_error(&s->shared.known, ev->error.message);
		break;
	}
	outlet_span(&s->shared.outlet, &span);
}

/* A region is left: everything in it ends, and what follows is not written. */
static void leave_region(struct stacks *s)
{
	uint32_t i;

	for (i = 0; i < s->table.n; i++)
		if (s->table.threads[i]->started)
			thread_leave_region(s->table.threads[i]);
	s->inside = false;
	s->left = s->region;
	s->shared.outlet.muted = true;
}

static void enter_region(struct stacks *s, int64_t t, uint32_t region)
{
	uint32_t i;

	s->inside = true;
	s->region = region;
	s->shared.outlet.muted = false;
	if (s->filter.ended < region)
		outlet_keep(&s->shared.outlet);
	for (i = 0; i < s->table.n; i++)
		if (s->table.threads[i]->started)
			thread_enter_region(s->table.threads[i], t);
}

static void follow_region(struct stacks *s, int64_t t, uint32_t region)
{
	/* What a transaction kept back until its region was over is outside of it. */
	if (region <= s->left)
		region = 0;
	if (s->inside && region && s->region == 0) {
		/* The very first event is a START: the writer counts as inside already. */
		s->region = region;
		if (s->filter.ended < region)
			outlet_keep(&s->shared.outlet);
		return;
	}
	if (s->inside && (!region || region != s->region))
		leave_region(s);
	if (!s->inside && region)
		enter_region(s, t, region);
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

static void deliver(struct stacks *s, struct thread *th, const struct event *ev)
{
	int64_t own = mapped_time(s, th, ev), t;

	if (!th->started)
		thread_start(th, own);
	t = thread_time(th, own);
	note_time(s, t);
	if (filter_on(&s->filter))
		follow_region(s, t, ev->region);
	switch (ev->kind) {
	case EVENT_BRANCH: branch_apply(th, t, ev); break;
	case EVENT_SAMPLE: sample_apply(th, t, ev); break;
	case EVENT_ERROR:
		write_direct(s, th, t, ev);
		ocaml_forget(th);
		thread_end(th, t);
		break;
	default: write_direct(s, th, t, ev); break;
	}
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
		thread_end(th, th->last_event_time);
		thread_new_file(th, t, s->files <= 1);
	}
}

void stacks_feed(struct stacks *s, struct event *ev)
{
	struct thread *th;

	if (ev->has_time && !s->has_base)
		set_base(s, ev->time);
	filter_mark(&s->filter, ev);
	if (s->shared.outlet.keeping && s->filter.ended >= s->region)
		outlet_commit(&s->shared.outlet);
	if (s->file_begins && (ev->kind == EVENT_BRANCH || ev->kind == EVENT_SAMPLE))
		begin_file(s, ev->time - s->base);
	th = table_thread(&s->table, &s->shared, ev->pid, ev->tid);
	if (s->shared.config.skip_tx)
		deliver(s, th, ev);
	else
		feed_thread(s, th, ev);
}

/* A region that the file's end left open was none. */
static void end_file(struct stacks *s)
{
	if (!filter_on(&s->filter))
		return;
	filter_end_file(&s->filter);
	if (s->filter.dropped > s->left)
		s->left = s->filter.dropped;
	if (!s->inside || s->filter.ended >= s->region)
		return;
	outlet_discard(&s->shared.outlet);
	s->inside = false;
	s->shared.outlet.muted = true;
}

void stacks_next_file(struct stacks *s)
{
	end_file(s);
	if (!s->files && s->table.n)
		s->files = 1; /* it was not said that the first one began */
	s->files++;
	s->file_begins = true;
}

void stacks_finish(struct stacks *s)
{
	uint32_t i;

	end_file(s);
	for (i = 0; i < s->table.n; i++)
		commit(s, s->table.threads[i]);
	for (i = 0; i < s->table.n; i++)
		if (s->table.threads[i]->started)
			thread_end(s->table.threads[i], s->table.threads[i]->last_event_time);
	s->shared.stats.regions = s->filter.ended;
}

const struct stacks_stats *stacks_stats(const struct stacks *s)
{
	return &s->shared.stats;
}
