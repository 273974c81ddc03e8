/* SPDX-License-Identifier: MIT */
#include "cli/part.h"

#include "base/intern.h"
#include "cli/interrupt.h"
#include "perf/psbs.h"
#include "perf/script.h"
#include "perf/text.h"

/* Bytes of distinct names that are kept while only times are looked at. */
#define NAMES_MAX ((size_t)16 << 20)

/* The times of what perf prints. */
struct times {
	int64_t first, last; /* -1: there are none */
	bool first_only;     /* there is no need to read on */
};

static void read_times(struct perf_text *text, struct times *times)
{
	struct event ev;

	while (perf_text_next(text, &ev, NULL) > 0 && !interrupt_signal()) {
		if (!ev.has_time)
			continue;
		if (times->first < 0)
			times->first = ev.time;
		if (ev.time > times->last)
			times->last = ev.time;
		if (times->first_only)
			break;
	}
}

/* Called by a signal handler. */
static void stop_perf(void *perf)
{
	perf_script_stop(perf);
}

static int look(const struct perf_script_args *args, struct times *times, struct err *err)
{
	struct intern *names = intern_new(NAMES_MAX);
	struct perf_text *text = perf_text_new(args->mode, names, NULL, NULL);
	struct perf_script *perf = NULL;
	int r = perf_script_start(args, &perf, err);

	if (r == 0) {
		interrupt_watch(stop_perf, perf);
		perf_text_input(text, perf_script_input(perf));
		read_times(text, times);
		if (times->first_only && times->first >= 0)
			perf_script_stop(perf);
		perf_script_wait(perf);
		interrupt_unwatch();
		r = perf_script_finish(perf, err);
	}
	/* a perf that fails half-way fails again when it decodes, and that is said then */
	if (r < 0 && times->last >= 0 && !interrupt_signal())
		r = 0;
	if (r == 0 && interrupt_signal())
		r = err_set(err, "interrupted: no trace was written");
	perf_text_free(text);
	intern_free(names);
	return r;
}

/* When the first event of all was, and the trigger was hit first. -1 with err. */
static int find_begin(struct perf_script_args *args, const struct recording *rec, int64_t *begin,
		      struct err *err)
{
	struct times times = { .first = -1, .last = -1, .first_only = true };

	for (size_t i = 0; i < rec->n_data && times.first < 0; i++) {
		args->data = rec->data[i];
		if (look(args, &times, err) < 0)
			return -1;
	}
	*begin = times.first < 0 ? 0 : times.first;
	for (size_t i = 0; i < rec->n_hits; i++) {
		if (rec->hits[i].time < *begin)
			*begin = rec->hits[i].time;
	}
	return 0;
}

/* When the last event of all was, or what is there of PT data begins last. -1 with err. */
static int find_end(struct perf_script_args *args, const struct recording *rec, int64_t *end,
		    struct err *err)
{
	struct times times = { .first = -1, .last = -1 };
	struct psbs psbs = { .n = 0 };

	for (size_t i = rec->n_data; i-- > 0 && times.last < 0;) {
		args->data = rec->data[i];
		if (args->mode == PERF_PT && psbs_read(args->data, &psbs, NULL) == 0 && psbs.n) {
			args->from = psbs.v[psbs.n - 1].time;
			args->to = INT64_MAX;
		}
		psbs_fini(&psbs);
		if (args->to && look(args, &times, err) < 0)
			return -1;
		args->from = args->to = 0;
		/* nothing ran behind the last PSB: then it is in all of the file */
		if (times.last < 0 && look(args, &times, err) < 0)
			return -1;
	}
	*end = times.last < 0 ? 0 : times.last;
	return 0;
}

static int64_t add(int64_t time, uint64_t ns)
{
	return ns > (uint64_t)(INT64_MAX - time) ? INT64_MAX : time + (int64_t)ns;
}

/* How long a span or a share is. */
static uint64_t length_of(const struct when *when, int64_t whole)
{
	if (when->kind == WHEN_PERCENT)
		return (uint64_t)((unsigned __int128)whole * when->value / WHEN_WHOLE);
	return when->value;
}

static int64_t time_of(const struct when *when, int64_t begin, int64_t end)
{
	if (when->kind == WHEN_CLOCK)
		return (int64_t)when->value;
	return add(begin, length_of(when, end - begin));
}

static void set(struct part *part, const struct options *options, int64_t end)
{
	uint64_t length;

	part->from = 0;
	part->to = INT64_MAX;
	if (options->after.kind)
		part->from = time_of(&options->after, part->begin, end);
	if (options->before.kind)
		part->to = time_of(&options->before, part->begin, end);
	if (options->last.kind) {
		length = length_of(&options->last, end - part->begin);
		part->from = length < (uint64_t)end ? end - (int64_t)length : 0;
	}
}

/* There is no time in the part. */
static int empty(const struct options *options, struct err *err)
{
	if (options->after.kind && options->before.kind)
		err_set(err, "no trace was written: -before is earlier than -after, so the part "
			     "is empty");
	else
		err_set(err, "no trace was written: the part that %s leaves is empty",
			options->before.kind ? "-before" : "-after");
	err_hint(err, "times without @ count from the first event; a trace of the whole shows "
		      "how long it is");
	return -1;
}

int part_find(struct part *part, const struct options *options, const struct settings *settings,
	      const struct recording *recording, struct err *err)
{
	struct perf_script_args args = {
		.perf = settings->perf,
		.symfs = options->symfs,
		.mode = settings->mode,
	};
	int64_t end = 0;

	*part = (struct part){
		.on = options->last.kind || options->after.kind || options->before.kind,
	};
	if (!part->on)
		return 0;
	if (find_begin(&args, recording, &part->begin, err) < 0)
		return -1;
	if (options->last.kind || options->after.kind == WHEN_PERCENT ||
	    options->before.kind == WHEN_PERCENT) {
		if (find_end(&args, recording, &end, err) < 0)
			return -1;
		if (end < part->begin)
			end = part->begin;
	}
	set(part, options, end);
	/* a range up to 0 would be all */
	if (part->from > part->to || part->to == 0)
		return empty(options, err);
	return 0;
}
