/* SPDX-License-Identifier: MIT */
#include "trace/trace.h"

#include "base/xalloc.h"
#include "trace/codec.h"
#include "trace/events.h"
#include "trace/output.h"

#include <stdlib.h>

struct trace {
	struct trace_options options;
	struct output *output;
	struct fxt fxt;
	struct strings *strings;
	struct tracks tracks;
	struct source *source; /* NULL: none was asked for */
	struct events events;
	struct trace_stats stats;
	int64_t wall_clock;
	bool has_wall_clock;
	bool begun; /* what stands first in the file has been written */
};

int trace_check_path(const char *path, struct err *err)
{
	return codec_for_path(path, err) ? 0 : -1;
}

int trace_open(const struct trace_options *options, struct trace **trace, struct err *err)
{
	struct output *output;
	struct trace *t;

	if (output_open(options->path, &output, err) != 0)
		return -1;
	t = xcalloc(1, sizeof(*t));
	t->options = *options;
	t->output = output;
	fxt_init(&t->fxt, output);
	if (options->source)
		t->source = source_new(&t->options);
	t->strings = strings_new(&t->fxt, options->names,
				 t->source ? source_files(t->source) : NULL, &t->stats);
	tracks_init(&t->tracks, &t->fxt, &t->options, &t->stats);
	t->events = (struct events){
		.fxt = &t->fxt,
		.strings = t->strings,
		.tracks = &t->tracks,
		.source = t->source,
		.stats = &t->stats,
		.mark_inferred = options->mark_inferred,
	};
	*trace = t;
	return 0;
}

void trace_wall_clock(struct trace *trace, int64_t ns)
{
	trace->wall_clock = ns;
	trace->has_wall_clock = true;
}

static void begin_file(struct trace *t)
{
	char *provider = NULL;

	if (t->begun)
		return;
	t->begun = true;
	if (t->options.clock_sentence)
		provider = xasprintf("magic-trace: %s", t->options.clock_sentence);
	fxt_file_header(&t->fxt, provider ? str_of(provider) : STR("magic-trace"),
			t->has_wall_clock ? &t->wall_clock : NULL);
	free(provider);
	strings_write_fixed(t->strings);
}

/* No span comes before its track, so this is the one place that need look whether it is the first.
 */
static uint32_t sink_track(void *ctx, const struct track_key *key)
{
	struct trace *t = ctx;

	begin_file(t);
	return tracks_add(&t->tracks, key);
}

static void sink_span(void *ctx, const struct span *span)
{
	struct trace *t = ctx;

	events_span(&t->events, span);
}

static void sink_hit(void *ctx, const struct hit_span *hit)
{
	struct trace *t = ctx;

	events_hit(&t->events, hit);
}

struct span_sink trace_sink(struct trace *trace)
{
	return (struct span_sink){
		.ctx = trace,
		.track = sink_track,
		.span = sink_span,
		.hit = sink_hit,
	};
}

const struct trace_stats *trace_stats(const struct trace *trace)
{
	return &trace->stats;
}

int trace_error(struct trace *trace, struct err *err)
{
	return output_error(trace->output, err);
}

/* All but the output, which has its own end. */
static void trace_free(struct trace *t)
{
	tracks_fini(&t->tracks);
	strings_free(t->strings);
	source_free(t->source);
	free(t);
}

int trace_finish(struct trace *t, struct trace_stats *stats, struct err *err)
{
	size_t words;
	int ret;

	begin_file(t);
	words = (size_t)(t->fxt.p - t->fxt.block);
	t->stats.raw_bytes = (t->fxt.handed + words) * sizeof(uint64_t);
	ret = output_finish(t->output, words, &t->stats.file_bytes, err);
	if (stats)
		*stats = t->stats;
	trace_free(t);
	return ret;
}

void trace_abort(struct trace *t)
{
	output_abort(t->output);
	trace_free(t);
}

void trace_unlink_temporary(void)
{
	file_unlink_temporary();
}
