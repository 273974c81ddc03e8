/* SPDX-License-Identifier: MIT */
#include "stack/hits.h"

/* The function of magic_trace.h that takes a snapshot, and the only one that passes a value. */
#define STOP_INDICATOR STR("magic_trace_stop_indicator")

int64_t hits_first(const struct trigger_hit *hits, size_t n)
{
	int64_t first = INT64_MAX;
	size_t i;

	for (i = 0; i < n; i++)
		if (hits[i].time < first)
			first = hits[i].time;
	return first;
}

void hits_write(const struct trigger_hit *hits, size_t n, int64_t base, struct intern *names,
		const struct span_sink *sink)
{
	struct track_key key = { .kind = TRACK_HITS };
	uint32_t track;
	size_t i;

	if (!n)
		return;
	track = sink->track(sink->ctx, &key);
	for (i = 0; i < n; i++) {
		const struct trigger_hit *hit = &hits[i];
		bool stop = str_eq(intern_str(names, hit->symbol), STOP_INDICATOR);
		bool marked = stop && hit->passed >= base && hit->passed <= hit->time;
		struct hit_span span = {
			.time = hit->time - base,
			.start = (marked ? hit->passed : hit->time) - base,
			.passed = hit->passed - base,
			.arg = hit->arg,
			.ip = hit->ip,
			.track = track,
			.name = hit->symbol,
			.tid = hit->tid,
			.has_arg = stop,
		};

		sink->hit(sink->ctx, &span);
	}
}
