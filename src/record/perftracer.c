/* SPDX-License-Identifier: MIT */
#include "record/perftracer.h"

#include "perf/record.h"

_Static_assert(TRACER_FDS >= PERF_RECORD_FDS, "TRACER_FDS");

static void tracer_poll(const void *self, struct pollfd fds[TRACER_FDS], int *timeout)
{
	for (int i = PERF_RECORD_FDS; i < TRACER_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1 };
	perf_record_poll(self, fds, timeout);
}

static enum tracer_state tracer_step(void *self)
{
	switch (perf_record_step(self)) {
	case PERF_STARTING: return TRACER_STARTING;
	case PERF_RECORDING: return TRACER_RECORDING;
	case PERF_SNAPSHOTTING: return TRACER_SNAPSHOTTING;
	case PERF_STOPPING: return TRACER_STOPPING;
	case PERF_ENDED: break;
	}
	return TRACER_ENDED;
}

static void tracer_snapshot(void *self)
{
	perf_record_snapshot(self);
}

static size_t tracer_snapshots(const void *self)
{
	return perf_record_snapshots(self);
}

static void tracer_stop(void *self)
{
	perf_record_stop(self);
}

static void tracer_kill(void *self)
{
	perf_record_kill(self);
}

static int tracer_finish(void *self, struct err *err)
{
	return perf_record_finish(self, err);
}

static pid_t tracer_group(const void *self)
{
	return perf_record_pid(self);
}

int perftracer_start(const struct perf_record_settings *settings,
		     void (*on_stderr)(void *ctx, struct str line), void *ctx,
		     struct tracer *tracer, struct err *err)
{
	static const struct tracer_ops ops = {
		.poll = tracer_poll,
		.step = tracer_step,
		.snapshot = tracer_snapshot,
		.snapshots = tracer_snapshots,
		.stop = tracer_stop,
		.kill = tracer_kill,
		.finish = tracer_finish,
		.group = tracer_group,
	};
	struct perf_record *perf;

	if (perf_record_start(settings, on_stderr, ctx, &perf, err) < 0)
		return -1;
	*tracer = (struct tracer){
		.ops = &ops,
		.self = perf,
		.name = settings->perf,
		.end_is_snapshot = settings->snapshot == PERF_SNAPSHOT_NEVER ||
				   perf_record_ends_with_snapshot(settings),
		.end_answers = settings->mode == PERF_SAMPLING,
	};
	return 0;
}
