/* SPDX-License-Identifier: MIT */
#include "cli/decode.h"

#include "base/xalloc.h"
#include "cli/interrupt.h"
#include "cli/pipeline.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scripts.h"
#include "cli/settings.h"
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
	struct scripts scripts;
	size_t file;          /* the data file that is read */
	uint64_t read_before; /* bytes of the data files before this one */
	uint64_t read;        /* bytes of this one; 0: not known */
	bool part;            /* not all of the recording could be read */
};

/* Shows how far we are. -1 with err when there is no use in going on. */
static int look(struct decode *d, struct err *err)
{
	const struct perf_text_stats *text = perf_text_stats(d->p.text);
	struct perf_script *perf = d->scripts.perf;
	struct progress_counts counts = {
		.file = d->file + 1,
		.n_files = d->p.recording->n_data,
		.data = d->p.recording->data_bytes,
		.bytes = text->bytes,
		.events = text->events,
		.spans = trace_stats(d->p.trace)->spans,
	};

	if (ferror(stdout))
		return err_set(err, "standard output cannot be written: no trace was written");
	if (perf && progress_asks(&d->progress) && !perf_script_position(perf, &d->read))
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

static inline void name_event(struct decode *d, struct event *ev, bool bad_offsets)
{
	if (!ev->named)
		symbols_event(d->p.symbols, ev, bad_offsets);
	else if (bad_offsets)
		symbols_check(d->p.symbols, ev);
}

/* Reads what perf prints to its end: see struct scripts. */
static int read_events(void *ctx, struct err *err)
{
	struct decode *d = ctx;
	const struct perf_text_stats *text = perf_text_stats(d->p.text);
	struct event ev;
	uint64_t n = 0;
	int r;

	while ((r = perf_text_next(d->p.text, &ev, err)) > 0) {
		scripts_got_event(&d->scripts);
		if (ev.has_time && !part_has(&d->p.part, ev.time))
			continue;
		if (scripts_repeat(&d->scripts, &ev))
			continue;
		if (d->settings.print_events)
			print_event(&ev, d->p.names);
		if (ev.kind == EVENT_ERROR)
			tally_add(&d->p.errors, ev.error.message);
		name_event(d, &ev, text->bad_offsets);
		stacks_feed(d->p.stacks, &ev);
		if (interrupt_signal())
			return interrupted(err);
		if ((++n & LOOK_MASK) == 0 && look(d, err) < 0)
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

/* Says what is missing. -1 with err when that is the end of it all. */
static int judge(struct decode *d, const char *data, struct scripts_end *end, struct err *err)
{
	if (interrupt_signal())
		return interrupted(err);
	if (end->read < 0) {
		*err = end->read_err;
		return -1;
	}
	if (end->read == 0) {
		warn_part(d, &end->read_err);
	} else if (end->perf < 0) {
		warn_part(d, &end->perf_err);
	} else if (perf_text_stats(d->p.text)->cut) {
		err_set(&end->read_err, "what perf printed of %s ends within a line", data);
		warn_part(d, &end->read_err);
	}
	return 0;
}

/* Decodes one data file. -1 with err when that is the end of it all. */
static int run_file(struct decode *d, size_t i, struct err *err)
{
	struct scripts_end end;
	int started;

	d->file = i;
	stacks_next_file(d->p.stacks);
	started = scripts_run(&d->scripts, i, &end, err);
	d->read_before += d->p.recording->sizes[i];
	d->read = 0;
	if (started == 0)
		return judge(d, d->p.recording->data[i], &end, err);
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

	scripts_open(&d->scripts);
	r = part_find(&d->p.part, d->p.options, &d->settings, d->p.recording, &err);
	if (r == 0)
		r = pipeline_open(&d->p, &err);
	if (r == 0)
		r = run(d, &err);
	pipeline_close(&d->p);
	scripts_close(&d->scripts);
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
	d.p.settings = &d.settings;
	d.p.recording = rec;
	d.scripts = (struct scripts){
		.p = &d.p,
		.settings = &d.settings,
		.jobs = options->jobs ? options->jobs : default_jobs(),
		.read = read_events,
		.ctx = &d,
	};
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
