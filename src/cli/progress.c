/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include "base/human.h"
#include "base/monotonic.h"

#include <inttypes.h>
#include <stdio.h>

#define SECOND   INT64_C(1000000000)
#define INTERVAL (SECOND / 5)
/* A line that wraps cannot be erased. */
#define COLUMNS 79

void progress_start(struct progress *progress, struct console *console)
{
	*progress = (struct progress){ .console = console, .start = monotonic_ns() };
}

bool progress_asks(struct progress *progress)
{
	int64_t t;

	if (!progress->console->terminal)
		return false;
	t = monotonic_ns();
	if (t - progress->asked < SECOND)
		return false;
	progress->asked = t;
	return true;
}

void progress_text(char *buf, size_t size, const struct progress_counts *counts, int64_t seconds)
{
	char file[48] = "", share[16] = "", left[32] = "";

	if (counts->n_files > 1)
		snprintf(file, sizeof(file), "file %zu of %zu, ", counts->file, counts->n_files);
	if (counts->read && counts->read <= counts->data) {
		double part = (double)counts->read / (double)counts->data;

		snprintf(share, sizeof(share), "%.0f %%, ", 100 * part);
		if (seconds > 1 && part > 0.02)
			snprintf(left, sizeof(left), ", %.0f s left",
				 (double)seconds * (1 - part) / part);
	}
	snprintf(buf, size, "%s%s%s, %s events, %s spans, %" PRId64 " s%s", file, share,
		 human_bytes(counts->bytes).s, human_count(counts->events).s,
		 human_count(counts->spans).s, seconds, left);
}

void progress_show(struct progress *progress, const struct progress_counts *counts)
{
	char text[COLUMNS + 1];
	int64_t t;

	if (!progress->console->terminal)
		return;
	t = monotonic_ns();
	if (t - progress->drawn < INTERVAL)
		return;
	progress->drawn = t;
	progress_text(text, sizeof(text), counts, (t - progress->start) / SECOND);
	console_status(progress->console, "%s", text);
}
