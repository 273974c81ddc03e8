/* SPDX-License-Identifier: MIT */
#include "cli/summary.h"

#include "base/human.h"

#include <inttypes.h>

/* Decode errors, and kinds of what was left out, that are named one by one. */
#define SHOWN_MAX 8

struct hint {
	struct str begins;
	const char *hint;
	const char *software; /* when it was recorded with -software; NULL: the same */
};

#define HINT(message, ...)                                    \
	{                                                     \
		{ message, sizeof(message) - 1 }, __VA_ARGS__ \
	}

static const struct hint hints[] = {
	HINT("Overflow packet",
	     "the CPU made trace faster than memory took it: record with coarser times, for "
	     "example intel_pt/cyc=0/"),
	HINT("Lost trace data",
	     "perf did not keep up with the CPU: record with a larger buffer (perf record -m,SIZE) "
	     "or in snapshots"),
	HINT("Failed to get instruction",
	     "perf had no copy of the code that ran: decode on the machine of the recording or "
	     "with -symfs; for kernel code, record as root with --kcore",
	     "perf had no copy of the code that ran: code that a program makes itself (JIT) is in no "
	     "file, and cannot be decoded; else decode on the machine of the recording"),
	HINT("Trace doesn't match instruction",
	     "the code differs from what ran: programs or libraries were replaced since, or the "
	     "kernel patched itself (record as root with --kcore)"),
	HINT("Never-ending loop",
	     "perf gave up on a long loop: perf config intel-pt.max-loops raises the limit"),
};

const char *summary_error_hint(struct str message, bool software)
{
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (str_starts(message, hints[i].begins))
			return software && hints[i].software ? hints[i].software : hints[i].hint;
	}
	return NULL;
}

static void count(struct line *out, uint64_t n, const char *one, const char *many)
{
	line_add(out, "%s %s", human_count(n).s, n == 1 ? one : many);
}

/* "; N things", when there are any. */
static void lost(struct line *out, uint64_t n, const char *one, const char *many)
{
	if (n == 0)
		return;
	line_add(out, "; ");
	count(out, n, one, many);
}

static void errors(struct line *out, const struct tally *tally, const struct intern *names)
{
	uint64_t rest = tally->total;

	count(out, tally->total, "decode error", "decode errors");
	for (size_t i = 0; i < tally->n && i < SHOWN_MAX; i++) {
		const struct tally_item *item = &tally->items[i];
		struct str what = STR("other messages");

		if (item->message != INTERN_NONE)
			what = intern_str(names, item->message);
		line_add(out, "%s %" PRIu64 " × %.*s", i ? "," : ":", item->count, (int)what.n,
			 what.p);
		rest -= item->count;
	}
	if (rest)
		line_add(out, ", %" PRIu64 " × others", rest);
}

void summary_line(struct line *out, const struct summary *s)
{
	const struct stacks_stats *stacks = s->stacks;

	line_add(out, "Traced ");
	count(out, stacks->threads, "thread", "threads");
	line_add(out, ", %s", human_time(stacks->last - stacks->first).s);
	if (s->clock)
		line_add(out, " of %s", s->clock);
	line_add(out, ", ");
	count(out, s->trace->begins, "call", "calls");
	if (stacks->regions) {
		line_add(out, " in ");
		count(out, stacks->regions, "region of the filter", "regions of the filter");
	}
	line_add(out, "; ");
	errors(out, s->errors, s->names);
	line_add(out, "; ");
	count(out, s->text->lost, "line not understood", "lines not understood");
	lost(out, stacks->hidden, "frame hidden by -max-depth", "frames hidden by -max-depth");
	lost(out, stacks->clamped, "time that ran backwards", "times that ran backwards");
	lost(out, stacks->out_of_scope, "branch outside the scope", "branches outside the scope");
	lost(out, stacks->tx_aborted, "event of aborted transactions",
	     "events of aborted transactions");
	lost(out, stacks->tx_lost, "event of transactions with decode errors",
	     "events of transactions with decode errors");
	lost(out, stacks->bad_poptraps, "OCaml handler removed but never installed",
	     "OCaml handlers removed but never installed");
	lost(out, stacks->overflowed, "stack given up as endless", "stacks given up as endless");
	lost(out, s->trace->cut_names, "name cut", "names cut");
	lost(out, s->trace->bad_utf8, "name that is not UTF-8", "names that are not UTF-8");
	lost(out, intern_refused(s->names), "name too many to keep", "names too many to keep");
	line_add(out, "; %s has %s", s->path, human_bytes(s->trace->file_bytes).s);
}

void summary_note(struct line *out, const struct perf_note *note)
{
	struct str what = note->what, first = note->first;

	switch (note->kind) {
	case PERF_NOTE_LINE: line_add(out, "line %" PRIu64 " is not understood", note->line); break;
	case PERF_NOTE_EVENT:
		line_add(out, "event '%.*s' is not known and left out, first in line %" PRIu64,
			 (int)what.n, what.p, note->line);
		break;
	case PERF_NOTE_UNDRAWN:
		line_add(out, "events '%.*s' are not drawn, first in line %" PRIu64, (int)what.n,
			 what.p, note->line);
		break;
	case PERF_NOTE_LONG:
		line_add(out, "line %" PRIu64 " is longer than %u bytes and left out", note->line,
			 PERF_LINE_MAX);
		break;
	case PERF_NOTE_MESSAGE: line_add(out, "perf says in line %" PRIu64, note->line); break;
	case PERF_NOTE_DEEP:
		line_add(out, "a stack deeper than %s frames is cut at line %" PRIu64,
			 human_count(PERF_CHAIN_MAX).s, note->line);
		break;
	}
	line_add(out, ": %.*s", (int)first.n, first.p);
}

static const char *note_word(const struct perf_note *note)
{
	switch (note->kind) {
	case PERF_NOTE_LINE: return "lines of no known form";
	case PERF_NOTE_LONG: return "lines that are too long";
	case PERF_NOTE_MESSAGE: return "messages of perf";
	case PERF_NOTE_DEEP: return "outer ends of stacks that are too deep";
	default: return NULL;
	}
}

void summary_notes(struct line *out, const struct perf_note *notes, size_t n)
{
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
		const char *word = note_word(&notes[i]);
		struct str what = word ? str_of(word) : notes[i].what;

		line_add(out, "%s%" PRIu64 " × %.*s", i ? ", " : "", notes[i].count, (int)what.n,
			 what.p);
	}
	if (n > SHOWN_MAX)
		line_add(out, ", %zu other kind%s", n - SHOWN_MAX, n - SHOWN_MAX > 1 ? "s" : "");
}
