/* SPDX-License-Identifier: MIT */
#include "cli/pipeline.h"

#include "base/xalloc.h"
#include "cli/clockwords.h"
#include "cli/line.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <unistd.h>

/* Bytes of distinct names that are kept; only a hostile text has more. */
#define NAMES_MAX ((size_t)256 << 20)
/* Bytes of spans that wait in memory before they wait in a file. */
#define SPOOL_BUDGET ((size_t)16 << 20)

static void on_note(void *ctx, const struct perf_note *note)
{
	struct pipeline *p = ctx;
	struct line line = LINE_INIT;

	summary_note(&line, note);
	console_warn(p->console, "%s", line.s);
}

static void on_base(void *ctx, int64_t base)
{
	struct pipeline *p = ctx;
	int64_t wall;

	if (p->recording->wall_clock &&
	    !__builtin_add_overflow(base, p->recording->wall_clock, &wall) && wall > 0)
		trace_wall_clock(p->trace, wall);
}

static const char *on_command_line(void *ctx, int32_t pid)
{
	struct pipeline *p = ctx;

	return recording_command_line(p->recording, pid);
}

static const char *on_comm(void *ctx, int32_t pid, int32_t tid)
{
	struct pipeline *p = ctx;

	return recording_comm(p->recording, pid, tid);
}

static bool on_source(void *ctx, const struct source_place *place, struct source_line *out)
{
	struct pipeline *p = ctx;
	const char *file;
	bool known = symbols_source(p->symbols, place, out);

	if (out->file.n || !p->lines || place->is_call || place->inlined ||
	    !linetable_function(p->lines, place->addr, &file, &out->line, &out->col))
		return known;
	out->file = str_of(file);
	return true;
}

/* Source lines are a comfort: without them the trace is still right. */
static void open_lines(struct pipeline *p)
{
	struct err err = ERR_INIT;

	/* perf prints the addresses of a call chain as offsets in their files */
	if (p->settings->mode == PERF_SAMPLING) {
		if (p->options->executable)
			console_warn(p->console,
				     "no source lines: -executable is for Intel PT only");
		return;
	}

	if (!p->settings->executable ||
	    linetable_open(p->settings->executable, &p->lines, &err) == 0)
		return;
	p->lines = NULL;
	if (p->options->executable)
		console_warn(p->console, "no source lines: %s", err.msg);
}

static void start_symbols(struct pipeline *p)
{
	struct symbols_config config = {
		.names = p->names,
		.recording = p->recording,
		.symfs = p->options->symfs,
		.mode = p->settings->mode,
		.demangle = !p->options->no_demangle,
	};

	p->symbols = symbols_new(&config);
}

static uint32_t on_filter(void *ctx, int32_t pid, const struct location *place)
{
	struct pipeline *p = ctx;

	return selected_find(p->selected, pid, place);
}

/* The hits in the part of the recording that is decoded: *n of them. */
static struct trigger_hit *intern_hits(const struct pipeline *p, size_t *n)
{
	const struct recording *rec = p->recording;
	struct trigger_hit *hits = xcalloc(rec->n_hits, sizeof(*hits));

	*n = 0;
	for (size_t i = 0; i < rec->n_hits; i++) {
		const struct recording_hit *hit = &rec->hits[i];

		if (!part_has(&p->part, hit->time))
			continue;
		hits[(*n)++] = (struct trigger_hit){
			.time = hit->time,
			.passed = hit->passed,
			.arg = hit->arg,
			.ip = hit->ip,
			.symbol = intern_add(p->names, str_of(hit->symbol)),
			.tid = hit->tid,
		};
	}
	return hits;
}

/* Of programs of OCaml: where they install, remove and enter exception handlers. */
static void find_traps(struct pipeline *p, struct stacks_config *config)
{
	struct err warning = ERR_INIT;
	const char *program = p->settings->executable;

	if (p->settings->mode != PERF_PT || p->settings->skip_traps || !program)
		return;
	if (ocamltraps_find(&p->traps, p->symbols, p->options->symfs, program, &warning))
		config->traps = &p->traps.traps;
	if (warning.msg[0])
		console_warn_err(p->console, &warning);
}

static void on_inlined(void *ctx, int32_t pid, const struct location *place,
		       struct inlined_place *out)
{
	struct pipeline *p = ctx;

	symbols_inlined(p->symbols, pid, place, out);
}

static int start_stacks(struct pipeline *p, struct err *err)
{
	const struct filter_arg *filter = &p->options->filter;
	struct trigger_hit *hits;
	struct stacks_config config = {
		.scope = p->settings->scope,
		.names = p->names,
		.sink = trace_sink(p->trace),
		.pool = p->pool,
		.skip_tx = p->settings->skip_tx,
		.reference = p->settings->reference,
		.reference_times = p->settings->reference_times,
		.max_depth = p->options->max_depth,
		.has_begin = p->part.on,
		.begin = p->part.begin,
		.base = on_base,
		.ctx = p,
	};

	if (p->settings->inlined)
		config.inlined = on_inlined;
	find_traps(p, &config);
	if (filter->start) {
		p->selected = selected_new(filter, p->symbols, p->names, err);
		if (!p->selected)
			return -1;
		config.filter_start = selected_start(p->selected);
		config.filter_stop = selected_stop(p->selected);
		config.filter_named = on_filter;
	}
	hits = intern_hits(p, &config.n_hits);
	config.hits = hits;
	p->stacks = stacks_new(&config);
	free(hits);
	return 0;
}

int pipeline_open(struct pipeline *p, struct err *err)
{
	struct trace_options trace = {
		.path = p->options->output,
		.clock = clockwords_short(p->recording),
		.clock_sentence = clockwords_long(p->recording),
		.mark_inferred = p->settings->mark_inferred,
		.command_line = on_command_line,
		.comm = on_comm,
		.ctx = p,
	};

	if (p->options->executable && access(p->options->executable, R_OK) < 0)
		return err_errno(err, "-executable %s", p->options->executable);
	if (p->options->symfs && access(p->options->symfs, X_OK) < 0)
		return err_errno(err, "-symfs %s", p->options->symfs);
	open_lines(p);
	p->names = intern_new(NAMES_MAX);
	start_symbols(p);
	trace.source = on_source;
	trace.names = p->names;
	if (trace_open(&trace, &p->trace, err) < 0)
		return -1;
	p->pool = spool_pool_new(SPOOL_BUDGET);
	p->text = perf_text_new(p->settings->mode, p->names, on_note, p);
	return start_stacks(p, err);
}

void pipeline_close(struct pipeline *p)
{
	if (p->trace)
		trace_abort(p->trace);
	if (p->text)
		perf_text_free(p->text);
	if (p->stacks)
		stacks_free(p->stacks);
	selected_free(p->selected);
	ocamltraps_fini(&p->traps);
	if (p->pool)
		spool_pool_free(p->pool);
	if (p->symbols)
		symbols_free(p->symbols);
	if (p->lines)
		linetable_close(p->lines);
	if (p->names)
		intern_free(p->names);
}
