/* SPDX-License-Identifier: MIT */
#include "cli/decode.h"

#include "base/xalloc.h"
#include "cli/fastpath.h"
#include "cli/interrupt.h"
#include "cli/line.h"
#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/settings.h"
#include "cli/shell.h"
#include "cli/slices.h"
#include "event/print.h"
#include "perf/script.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/sysinfo.h>

/* Events between two looks at the clock and at what may have failed. */
#define LOOK_MASK 4095u
/* An event as -z-print-events shows it; longer ones are cut. */
#define EVENT_LINE_MAX 32768

struct decode {
	struct pipeline p;
	struct settings settings;
	struct progress progress;
	struct fastpath fast;
	struct perf_script *perf; /* while it runs, else NULL */
	struct slices slices;     /* of the data file */
	size_t slice;             /* that is read */
	uint64_t read_before;     /* bytes of the data files before this one */
	uint64_t read;            /* bytes of this one; 0: not known */
	unsigned int jobs;
	bool part; /* not all of the recording could be read */
};

static void say_perf_line(void *ctx, struct str line)
{
	struct decode *d = ctx;

	if (!report_is_lost(&d->p, line))
		console_say(d->p.console, "%.*s", (int)line.n, line.p);
}

static void on_perf_stderr(void *ctx, struct str line)
{
	struct decode *d = ctx;

	if (!fastpath_hold(&d->fast, line))
		say_perf_line(d, line);
}

/* Shows how far we are. -1 with err when there is no use in going on. */
static int look(struct decode *d, size_t file, struct err *err)
{
	const struct perf_text_stats *text = perf_text_stats(d->p.text);
	struct progress_counts counts = {
		.file = file + 1,
		.n_files = d->p.recording->n_data,
		.data = d->p.recording->data_bytes,
		.bytes = text->bytes,
		.events = text->events,
		.spans = trace_stats(d->p.trace)->spans,
	};

	if (ferror(stdout))
		return err_set(err, "standard output cannot be written: no trace was written");
	if (d->perf && progress_asks(&d->progress) && !perf_script_position(d->perf, &d->read))
		d->read = 0;
	if (d->read)
		counts.read = d->read_before + d->read;
	progress_show(&d->progress, &counts);
	return trace_error(d->p.trace, err);
}

static void print_event(const struct event *ev, const struct intern *names)
{
	char line[EVENT_LINE_MAX], shown[2 * EVENT_LINE_MAX];
	size_t n = event_print(line, sizeof(line), ev, names);

	console_escape(shown, sizeof(shown), (struct str){ .p = line, .n = n });
	puts(shown);
}

static int interrupted(struct err *err)
{
	/* what still waits for a reader that does not read must not keep us from ending */
	__fpurge(stdout);
	return err_set(err, "interrupted: no trace was written");
}

static void name_place(void *ctx, int32_t pid, struct location *loc)
{
	struct decode *d = ctx;

	symbols_place(d->p.symbols, pid, loc);
}

static inline void name_event(struct decode *d, struct event *ev, bool bad_offsets)
{
	if (!ev->named)
		symbols_event(d->p.symbols, ev, bad_offsets);
	else if (bad_offsets)
		symbols_check(d->p.symbols, ev);
}

/* Reads what perf prints to its end. 1: all; 0: reading failed half-way; -1: give up; with err. */
static int read_events(struct decode *d, size_t file, struct err *err)
{
	const struct perf_text_stats *text = perf_text_stats(d->p.text);
	struct event ev;
	uint64_t n = 0;
	int r;

	while ((r = perf_text_next(d->p.text, &ev, err)) > 0) {
		if (d->fast.trying)
			fastpath_accepted(&d->fast);
		if (ev.has_time && !part_has(&d->p.part, ev.time))
			continue;
		if (slices_repeats(&d->slices, d->slice, &ev))
			continue;
		if (d->settings.print_events)
			print_event(&ev, d->p.names);
		if (ev.kind == EVENT_ERROR)
			tally_add(&d->p.errors, ev.error.message);
		name_event(d, &ev, text->bad_offsets);
		stacks_feed(d->p.stacks, &ev);
		if (interrupt_signal())
			return interrupted(err);
		if ((++n & LOOK_MASK) == 0 && look(d, file, err) < 0)
			return -1;
	}
	return r < 0 ? 0 : 1;
}

/* A part is missing; why is in err. */
static void warn_part(struct decode *d, const struct err *err)
{
	d->part = true;
	console_warn_err(d->p.console, err);
}

static void print_command(struct decode *d, const struct perf_script_args *args)
{
	struct line line = LINE_INIT;
	char **argv = perf_script_argv(args);

	shell_command(&line, argv);
	console_say(d->p.console, "%s", line.s);
	perf_script_argv_free(argv);
}

/* Called by a signal handler. */
static void stop_perf(void *ctx)
{
	struct decode *d = ctx;

	if (d->perf)
		perf_script_stop(d->perf);
	slices_stop(&d->slices);
}

/* How a run of perf has ended. */
struct ended {
	int read; /* as read_events says */
	int end;  /* as perf_script_finish says */
	struct err read_err, perf_err;
	bool refused; /* perf has failed before it came to the data, perhaps for our filter */
};

/* Runs perf on a data file and takes what it prints. -1 with err: it could not be started. */
static int run_perf(struct decode *d, struct perf_script_args *args, size_t file,
		    struct ended *ended, struct err *err)
{
	uint64_t events = perf_text_stats(d->p.text)->events;
	bool began;

	*ended = (struct ended){ .refused = false };
	fastpath_begin(&d->fast, args);
	if (d->settings.print_perf_commands)
		print_command(d, args);
	if (perf_script_start(args, &d->perf, err) < 0)
		return -1;
	interrupt_watch(stop_perf, d);
	perf_text_input(d->p.text, perf_script_input(d->perf));
	if (args->filter)
		perf_text_records(d->p.text, args->cookie);
	/* events are printed with the names that perf has */
	if (args->filter && !d->settings.print_events)
		perf_text_namer(d->p.text, name_place, d);
	ended->read = read_events(d, file, &ended->read_err);
	if (ended->read <= 0)
		perf_script_stop(d->perf);
	perf_script_wait(d->perf);
	interrupt_unwatch();
	ended->end = perf_script_finish(d->perf, &ended->perf_err);
	d->perf = NULL;
	began = perf_text_has_records(d->p.text) || perf_text_stats(d->p.text)->events > events;
	ended->refused = args->filter && !began && ended->read > 0 && ended->end < 0;
	return 0;
}

/* As run_perf, without our filter when perf does not take it. */
static int try_perf(struct decode *d, struct perf_script_args *args, size_t file,
		    struct ended *ended, struct err *err)
{
	struct err why;

	if (run_perf(d, args, file, ended, err) < 0)
		return -1;
	if (!ended->refused || interrupt_signal()) {
		fastpath_accepted(&d->fast);
		return 0;
	}
	why = ended->perf_err;
	fastpath_refused(&d->fast);
	if (run_perf(d, args, file, ended, err) < 0)
		return -1;
	if (ended->end == 0)
		console_warn(d->p.console,
			     "decoding takes longer, since perf does not take our filter: %s",
			     why.msg);
	else
		fastpath_not_to_blame(&d->fast);
	return 0;
}

/* Reads a slice that was written meanwhile. */
static void read_slice(struct decode *d, size_t file, struct ended *ended)
{
	interrupt_watch(stop_perf, d);
	*ended = (struct ended){ .refused = false };
	perf_text_input(d->p.text, slices_input(&d->slices, d->slice));
	perf_text_records(d->p.text, d->fast.cookie);
	perf_text_repeated(d->p.text);
	ended->read = read_events(d, file, &ended->read_err);
	interrupt_unwatch();
	ended->end = slices_finish(&d->slices, d->slice, &ended->perf_err);
}

/*
 * Decodes a data file in slices. What ended badly ends it all, as what is behind it would have been
 * missing then, too. -1 with err: perf could not be started.
 */
static int run_slices(struct decode *d, struct perf_script_args *args, size_t file,
		      struct ended *ended, struct err *err)
{
	args->from = d->slices.v[0].from;
	args->to = d->slices.v[0].to;
	if (try_perf(d, args, file, ended, err) < 0)
		return -1;
	if (d->fast.refused && ended->read > 0 && ended->end == 0) {
		/* without the filter there is nothing in the slices */
		slices_join(&d->slices);
		d->slice = 1;
		args->from = d->slices.v[1].from;
		args->to = d->slices.v[1].to;
		return try_perf(d, args, file, ended, err);
	}
	for (d->slice = 1; d->slice < d->slices.n; d->slice++) {
		if (ended->read <= 0 || ended->end < 0 || interrupt_signal())
			break;
		read_slice(d, file, ended);
	}
	return 0;
}

/* Says what is missing. -1 with err when that is the end of it all. */
static int judge(struct decode *d, const char *data, struct ended *ended, struct err *err)
{
	if (interrupt_signal())
		return interrupted(err);
	if (ended->read < 0) {
		*err = ended->read_err;
		return -1;
	}
	if (ended->read == 0) {
		warn_part(d, &ended->read_err);
	} else if (ended->end < 0) {
		warn_part(d, &ended->perf_err);
	} else if (perf_text_stats(d->p.text)->cut) {
		err_set(&ended->read_err, "what perf printed of %s ends within a line", data);
		warn_part(d, &ended->read_err);
	}
	return 0;
}

/* Decodes one data file. -1 with err when that is the end of it all. */
static int run_file(struct decode *d, size_t i, struct err *err)
{
	struct perf_script_args args = {
		.perf = d->settings.perf,
		.data = d->p.recording->data[i],
		.symfs = d->p.options->symfs,
		.mode = d->settings.mode,
		.stitch_lbr = d->settings.stitch_lbr,
		.raw_names = d->p.options->no_demangle,
		.from = d->p.part.on ? d->p.part.from : 0,
		.to = d->p.part.on ? d->p.part.to : 0,
		.on_stderr = on_perf_stderr,
		.ctx = d,
	};
	struct ended ended;
	int started;

	stacks_next_file(d->p.stacks);
	fastpath_begin(&d->fast, &args);
	/* a command that is printed is one that decodes it all */
	slices_plan(&d->slices, &args, d->settings.print_perf_commands ? 1 : d->jobs);
	slices_start(&d->slices, &args);
	if (d->slices.n)
		started = run_slices(d, &args, i, &ended, err);
	else
		started = try_perf(d, &args, i, &ended, err);
	slices_close(&d->slices);
	d->slice = 0;
	d->read_before += d->p.recording->sizes[i];
	d->read = 0;
	if (started == 0)
		return judge(d, args.data, &ended, err);
	if (i == 0)
		return -1;
	warn_part(d, err);
	return 0;
}

/* Whether perf printed lines that were too long to be read. */
static bool skipped_lines(const struct perf_text *text)
{
	size_t n;
	const struct perf_note *notes = perf_text_notes(text, &n);

	for (size_t i = 0; i < n; i++) {
		if (notes[i].kind == PERF_NOTE_LONG)
			return true;
	}
	return false;
}

/* Puts the trace in place, if there is one. -1 with err: none was written. */
static int conclude(struct decode *d, struct err *err)
{
	struct trace *trace = d->p.trace;
	struct trace_stats stats;

	stacks_finish(d->p.stacks);
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_errno(err, "no trace was written: standard output");
	report_losses(&d->p);
	if (spool_pool_in_memory(d->p.pool, err))
		console_warn_err(d->p.console, err);
	if (spool_pool_error(d->p.pool, err) < 0)
		return err_prefix(err, "no trace was written");
	d->part = d->part || skipped_lines(d->p.text);
	if (trace_stats(trace)->drawn == 0) {
		report_empty(&d->p, err);
		return -1;
	}
	if (interrupt_signal())
		return interrupted(err);
	d->p.trace = NULL;
	if (trace_finish(trace, &stats, err) < 0)
		return -1;
	report_result(&d->p, &stats);
	return 0;
}

static int run(struct decode *d, struct err *err)
{
	const struct recording *rec = d->p.recording;

	console_say(d->p.console, "[ Decoding, this takes a while... ]");
	progress_start(&d->progress, d->p.console);
	for (size_t i = 0; i < rec->n_data; i++) {
		if (run_file(d, i, err) < 0)
			return -1;
	}
	console_status_end(d->p.console);
	return conclude(d, err);
}

/* Decodes a recording that is open. */
static enum status decode(struct decode *d)
{
	struct err err = ERR_INIT;
	int r;

	fastpath_open(&d->fast, d->p.console, &d->settings, d->p.options, say_perf_line, d);
	r = part_find(&d->p.part, d->p.options, &d->settings, d->p.recording, &err);
	if (r == 0)
		r = pipeline_open(&d->p, &err);
	if (r == 0)
		r = run(d, &err);
	pipeline_close(&d->p);
	fastpath_close(&d->fast);
	if (r == 0)
		return d->part ? STATUS_PART : STATUS_WHOLE;
	console_error(d->p.console, &err);
	return STATUS_NONE;
}

/* A CPU is left to us. */
static unsigned int default_jobs(void)
{
	int cpus = get_nprocs();

	return cpus > 2 ? (unsigned int)cpus - 1 : 1;
}

enum status decode_recording(const struct options *options, const struct settings *settings,
			     struct console *console)
{
	struct err err = ERR_INIT, warning = ERR_INIT;
	struct decode d = { .p = { .console = console, .options = options },
			    .settings = *settings };
	struct recording *rec = NULL;
	enum status status = STATUS_NONE;

	if (recording_open(d.settings.input, &rec, &warning, &err) < 0)
		goto fail;
	if (strstr(warning.msg, "recording.json is ignored"))
		err_hint(&warning, "say what it would have said with -sampling, "
				   "-trace-include-kernel or -trace-kernel-only");
	if (warning.msg[0])
		console_warn_err(console, &warning);
	d.part = rec->part;
	if (rec->reason)
		console_warn(console, "this is a part of a recording: %s", rec->reason);
	status = STATUS_USAGE;
	if (settings_recording(&d.settings, options, rec, &err) < 0)
		goto fail;
	d.jobs = options->jobs ? options->jobs : default_jobs();
	d.p.settings = &d.settings;
	d.p.recording = rec;
	status = decode(&d);
	recording_free(rec);
	return status;
fail:
	console_error(console, &err);
	recording_free(rec);
	return status;
}

enum status decode_command(const struct options *options, struct console *console)
{
	struct settings settings;
	struct err err = ERR_INIT;

	if (settings_begin(&settings, options, &err) < 0 ||
	    settings_input(&settings, options, &err) < 0) {
		console_error(console, &err);
		return STATUS_USAGE;
	}
	xalloc_on_fail(trace_unlink_temporary);
	interrupt_install();
	return decode_recording(options, &settings, console);
}
