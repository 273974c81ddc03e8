/* SPDX-License-Identifier: MIT */
#include "cli/scripts.h"

#include "cli/interrupt.h"
#include "cli/line.h"
#include "cli/report.h"
#include "cli/shell.h"

static void say_perf_line(void *ctx, struct str line)
{
	struct scripts *s = ctx;

	if (!report_is_lost(s->p, line))
		console_say(s->p->console, "%.*s", (int)line.n, line.p);
}

static void on_perf_stderr(void *ctx, struct str line)
{
	struct scripts *s = ctx;

	if (!fastpath_hold(&s->fast, line))
		say_perf_line(s, line);
}

void scripts_open(struct scripts *s)
{
	fastpath_open(&s->fast, s->p->console, s->settings, s->p->options, say_perf_line, s);
}

void scripts_close(struct scripts *s)
{
	fastpath_close(&s->fast);
}

static void name_place(void *ctx, int32_t pid, struct location *loc)
{
	struct scripts *s = ctx;

	symbols_place(s->p->symbols, pid, loc);
}

static void print_command(struct scripts *s, const struct perf_script_args *args)
{
	struct line line = LINE_INIT;
	char **argv = perf_script_argv(args);

	shell_command(&line, argv);
	console_say(s->p->console, "%s", line.s);
	perf_script_argv_free(argv);
}

/* Called by a signal handler. */
static void stop_perf(void *ctx)
{
	struct scripts *s = ctx;

	if (s->perf)
		perf_script_stop(s->perf);
	slices_stop(&s->slices);
}

/* Runs perf once and has what it prints read. -1 with err: it could not be started. */
static int run_perf(struct scripts *s, struct perf_script_args *args, struct scripts_end *end,
		    struct err *err)
{
	struct perf_text *text = s->p->text;
	uint64_t events = perf_text_stats(text)->events;
	bool began;

	*end = (struct scripts_end){ .refused = false };
	fastpath_begin(&s->fast, args);
	if (s->settings->print_perf_commands)
		print_command(s, args);
	if (perf_script_start(args, &s->perf, err) < 0)
		return -1;
	interrupt_watch(stop_perf, s);
	perf_text_input(text, perf_script_input(s->perf));
	if (args->filter)
		perf_text_records(text, args->cookie);
	/* events are printed with the names that perf has */
	if (args->filter && !s->settings->print_events)
		perf_text_namer(text, name_place, s);
	end->read = s->read(s->ctx, &end->read_err);
	if (end->read <= 0)
		perf_script_stop(s->perf);
	perf_script_wait(s->perf);
	interrupt_unwatch();
	end->perf = perf_script_finish(s->perf, &end->perf_err);
	s->perf = NULL;
	began = perf_text_has_records(text) || perf_text_stats(text)->events > events;
	end->refused = args->filter && !began && end->read > 0 && end->perf < 0;
	return 0;
}

/* As run_perf, without our filter when perf does not take it. */
static int try_perf(struct scripts *s, struct perf_script_args *args, struct scripts_end *end,
		    struct err *err)
{
	struct err why;

	if (run_perf(s, args, end, err) < 0)
		return -1;
	if (!end->refused || interrupt_signal()) {
		fastpath_accepted(&s->fast);
		return 0;
	}
	why = end->perf_err;
	fastpath_refused(&s->fast);
	if (run_perf(s, args, end, err) < 0)
		return -1;
	if (end->perf == 0)
		console_warn(s->p->console,
			     "decoding takes longer, since perf does not take our filter: %s",
			     why.msg);
	else
		fastpath_not_to_blame(&s->fast);
	return 0;
}

/* Reads a slice that was written meanwhile. */
static void read_slice(struct scripts *s, struct scripts_end *end)
{
	interrupt_watch(stop_perf, s);
	*end = (struct scripts_end){ .refused = false };
	perf_text_input(s->p->text, slices_input(&s->slices, s->slice));
	perf_text_records(s->p->text, s->fast.cookie);
	perf_text_repeated(s->p->text);
	end->read = s->read(s->ctx, &end->read_err);
	interrupt_unwatch();
	end->perf = slices_finish(&s->slices, s->slice, &end->perf_err);
}

/*
 * Decodes a data file in slices. What ended badly ends it all, as what is behind it would have been
 * missing then, too. -1 with err: perf could not be started.
 */
static int run_slices(struct scripts *s, struct perf_script_args *args, struct scripts_end *end,
		      struct err *err)
{
	args->from = s->slices.v[0].from;
	args->to = s->slices.v[0].to;
	if (try_perf(s, args, end, err) < 0)
		return -1;
	if (s->fast.refused && end->read > 0 && end->perf == 0) {
		/* without the filter there is nothing in the slices */
		slices_join(&s->slices);
		s->slice = 1;
		args->from = s->slices.v[1].from;
		args->to = s->slices.v[1].to;
		return try_perf(s, args, end, err);
	}
	for (s->slice = 1; s->slice < s->slices.n; s->slice++) {
		if (end->read <= 0 || end->perf < 0 || interrupt_signal())
			break;
		read_slice(s, end);
	}
	return 0;
}

int scripts_run(struct scripts *s, size_t i, struct scripts_end *end, struct err *err)
{
	const struct part *part = &s->p->part;
	struct perf_script_args args = {
		.perf = s->settings->perf,
		.data = s->p->recording->data[i],
		.symfs = s->p->options->symfs,
		.mode = s->settings->mode,
		.stitch_lbr = s->settings->stitch_lbr,
		.raw_names = s->p->options->no_demangle,
		.from = part->on ? part->from : 0,
		.to = part->on ? part->to : 0,
		.on_stderr = on_perf_stderr,
		.ctx = s,
	};
	int started;

	fastpath_begin(&s->fast, &args);
	/* a command that is printed is one that decodes it all */
	slices_plan(&s->slices, &args, s->settings->print_perf_commands ? 1 : s->jobs);
	slices_start(&s->slices, &args);
	if (s->slices.n)
		started = run_slices(s, &args, end, err);
	else
		started = try_perf(s, &args, end, err);
	slices_close(&s->slices);
	s->slice = 0;
	return started;
}
