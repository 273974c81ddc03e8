/* SPDX-License-Identifier: MIT */
#include "cli/report.h"

#include "base/human.h"
#include "base/num.h"
#include "cli/clockwords.h"
#include "cli/line.h"
#include "cli/summary.h"

#include <string.h>

/* Calls that browsers still show without trouble. */
#define COMFORTABLE_CALLS 1000000u

/* More files than these are only counted. */
#define TROUBLES_SHOWN 8

/* perf found nothing in the recording. */
static void report_nothing(const struct pipeline *p, struct err *err)
{
	const struct recording *rec = p->recording;

	if (p->part.on) {
		err_set(err,
			"no trace was written: nothing of %s lies in the part that was asked for",
			p->settings->input);
		err_hint(err, "leave -last, -after and -before away");
		return;
	}

	if (p->settings->mode == PERF_SAMPLING && rec->has_json) {
		err_set(err, "no trace was written: no sample was taken");
		if (rec->n_hits) {
			err_hint(err, "the trigger was hit before there was one; -multi-snapshot "
				      "goes on behind the first hit");
			return;
		}
		err_hint(err, "what was recorded did not run, or for less time than lies between "
			      "two samples; -timer-resolution High takes more of them");
		return;
	}
	err_set(err, "no trace was written: perf printed nothing of %s", p->settings->input);
	if (rec->has_json && rec->trigger && rec->n_hits == 0)
		err_hint(err, "perf ended with the program before it took a snapshot: without "
			      "-trigger it takes one at the end");
}

/* Why there is nothing to see. */
void report_empty(const struct pipeline *p, struct err *err)
{
	const struct perf_text_stats *text = perf_text_stats(p->text);
	bool pt = p->settings->mode == PERF_PT;

	/* perf prints the decode errors of all times, whatever part it is asked for */
	if (text->lines == 0 || (p->part.on && p->errors.total == 0 && !p->options->filter.start)) {
		report_nothing(p, err);
		return;
	}
	if (text->events == 0) {
		err_set(err,
			"no trace was written: none of the %s lines that perf printed can be drawn",
			human_count(text->lines).s);
		err_hint(err, pt ? "add -sampling if the recording holds sampled stacks"
				 : "leave -sampling away if the recording holds Intel PT");
		return;
	}
	if (p->errors.total == text->events) {
		err_set(err, "no trace was written: all that perf printed is decode errors (%s)",
			human_count(text->events).s);
		return;
	}
	if (p->options->filter.start) {
		err_set(err, "no trace was written: nothing lies between '%s' and '%s'",
			p->options->filter.start, p->options->filter.stop);
		err_hint(err,
			 "names must be those that a trace without -filter shows, or FILE:LINE "
			 "as it has it for a function");
		return;
	}
	if (p->errors.total) {
		err_set(err,
			"no trace was written: beside decode errors (%s), nothing that perf "
			"printed can be drawn",
			human_count(p->errors.total).s);
		return;
	}
	err_set(err, "no trace was written: no call in %s events", human_count(text->events).s);
}

bool report_is_lost(struct pipeline *p, struct str line)
{
	static const char *const frame[] = { "", "Warning:", "Check IO/CPU overload!" };
	struct str rest;
	uint64_t n;

	for (size_t i = 0; i < sizeof(frame) / sizeof(frame[0]); i++) {
		if (str_eq(line, str_of(frame[i])))
			return true;
	}
	/* "Processed 817 events and lost 1 chunks!" (perf_session__warn_about_errors) */
	if (!str_starts(line, str_of("Processed ")))
		return false;
	rest = str_skip(line, strlen("Processed "));
	if (!num_dec(&rest, &n) || !str_starts(rest, str_of(" events and lost ")))
		return false;
	rest = str_skip(rest, strlen(" events and lost "));
	if (!num_dec(&rest, &n) || !str_eq(rest, str_of(" chunks!")))
		return false;
	p->lost += n;
	return true;
}

static void on_trouble(void *ctx, const struct err *trouble)
{
	struct pipeline *p = ctx;
	struct err said = *trouble;

	/* the same advice is given once */
	if (strcmp(said.hint, p->advice) == 0)
		said.hint[0] = '\0';
	else
		memcpy(p->advice, said.hint, sizeof(p->advice));
	if (p->troubles++ < TROUBLES_SHOWN)
		console_warn_err(p->console, &said);
}

/* Files that have no symbols, or cannot be read. */
static void report_symbols(struct pipeline *p)
{
	symbols_troubles(p->symbols, on_trouble, p);
	if (p->troubles > TROUBLES_SHOWN)
		console_warn(p->console, "%s more files have no symbols, or cannot be read",
			     human_count(p->troubles - TROUBLES_SHOWN).s);
}

/* A name of the filter's that stands for several functions. */
static void report_filter(const struct pipeline *p)
{
	struct err err = ERR_INIT;

	for (int stop = 0; p->selected && stop < 2; stop++)
		if (selected_ambiguous(p->selected, stop, &err))
			console_warn_err(p->console, &err);
}

void report_losses(struct pipeline *p)
{
	struct line line = LINE_INIT;
	const char *hint = NULL;
	bool more = false; /* than was said when it came first */
	size_t n;
	const struct perf_note *notes = perf_text_notes(p->text, &n);

	for (size_t i = 0; i < n; i++)
		more = more || notes[i].count > 1;
	if (p->lost)
		console_warn(p->console,
			     "perf lost data while it recorded (%s times): the machine was too "
			     "busy to write it",
			     human_count(p->lost).s);
	report_symbols(p);
	report_filter(p);
	summary_notes(&line, notes, n);
	if (more)
		console_warn(p->console, "left out in all: %s", line.s);
	tally_sort(&p->errors);
	if (p->errors.n && p->errors.items[0].message != INTERN_NONE)
		hint = summary_error_hint(intern_str(p->names, p->errors.items[0].message),
					  p->recording->engine != NULL);
	if (hint)
		console_warn(p->console, "decode errors: %s", hint);
}

void report_result(struct pipeline *p, const struct trace_stats *stats)
{
	struct line line = LINE_INIT;
	struct summary summary = {
		.path = p->options->output,
		.clock = clockwords_short(p->recording),
		.stacks = stacks_stats(p->stacks),
		.trace = stats,
		.text = perf_text_stats(p->text),
		.errors = &p->errors,
		.names = p->names,
	};

	const char *sentence = clockwords_long(p->recording);

	if (stats->begins > COMFORTABLE_CALLS)
		console_warn(p->console,
			     "%s calls are more than a browser shows with ease: -filter START:STOP "
			     "cuts the trace to what matters",
			     human_count(stats->begins).s);
	console_say(p->console, "Visit https://magic-trace.org/ and open %s to view trace.",
		    p->options->output);
	summary_line(&line, &summary);
	console_say(p->console, "%s", line.s);
	if (sentence)
		console_say(p->console, "  %s", sentence);
}
