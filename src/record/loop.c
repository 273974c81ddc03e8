/* SPDX-License-Identifier: MIT */
#include "record/loop.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/launch.h"
#include "record/tasks.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A recording without a ring ends before the disk is full. */
#define FREE_BYTES_MIN (UINT64_C(64) << 20)
#define DISK_LOOK_MS   100
#define NS_PER_MS      INT64_C(1000000)

static void end(struct loop *l, enum loop_end why)
{
	if (l->end == LOOP_END_NOT_YET)
		l->end = why;
}

/* Whether a snapshot is a file of its own, and recording goes on behind it. */
static bool is_multi(const struct loop *l)
{
	return l->settings.multi_snapshot;
}

/*
 * With sampled stacks, and with what is written at the end anyway, one snapshot is what is there
 * when perf stops.
 */
static bool snapshot_is_stop(const struct loop *l)
{
	return l->settings.snapshot == PERF_SNAPSHOT_NEVER ||
	       perf_record_ends_with_snapshot(&l->settings);
}

static void step_trigger(struct loop *l)
{
	/* what was hit just before the target's end is seen together with that */
	bool take = !l->taking && !l->stopped &&
		    (l->end == LOOP_END_NOT_YET || l->end == LOOP_END_TARGETS);

	if (l->trigger && l->going &&
	    trigger_step(l->trigger, take ? l->config->recording : NULL, &l->config->listener))
		l->want = true;
}

/* ---- what ends it ---- */

/* It is ending already; perf may have much to write, or hang. */
static void on_impatience(struct loop *l)
{
	if (++l->impatient == 1) {
		listener_say(&l->config->listener,
			     "[ Waiting for perf to write what it has. Once more gives up. ]");
		return;
	}
	l->stopped = true;
	perf_record_kill(l->perf);
}

static void on_told(struct loop *l, int sig, bool by_terminal)
{
	const struct listener *listener = &l->config->listener;

	l->told++;
	if (l->end != LOOP_END_NOT_YET) {
		on_impatience(l);
	} else if (l->program && l->going && l->told == 1) {
		/* a key at the terminal has reached it as well: it is in our process group */
		if (!by_terminal)
			target_signal(l->program, sig);
		listener_say(listener,
			     "[ Got signal, process %d has it too. Once more ends the recording. ]",
			     (int)target_pid(l->program));
	} else {
		listener_say(listener, "[ Got signal, detaching... ]");
		end(l, LOOP_END_TOLD);
	}
}

static void step_signals(struct loop *l)
{
	bool by_terminal = false;
	int sig;

	while ((sig = signals_next(&l->signals, &by_terminal))) {
		if (sig == SIGCHLD)
			continue;
		if (sig == SIGUSR2)
			l->want = l->want || (l->going && !l->taking);
		else
			on_told(l, sig, by_terminal);
	}
}

static void step_targets(struct loop *l)
{
	if (l->program && l->going && target_step(l->program) == TARGET_ENDED)
		end(l, LOOP_END_TARGETS);
	if (l->command && l->going && target_step(l->command) == TARGET_ENDED)
		end(l, LOOP_END_TOLD);
	if (l->watch && !watch_any_left(l->watch))
		end(l, LOOP_END_TARGETS);
	if (l->deadline && monotonic_ns() >= l->deadline)
		end(l, LOOP_END_TOLD);
}

static void step_disk(struct loop *l)
{
	if (l->settings.snapshot != PERF_SNAPSHOT_NEVER || l->end != LOOP_END_NOT_YET ||
	    workdir_free_bytes(l->config->dir) >= FREE_BYTES_MIN)
		return;
	recording_set_part(l->config->recording, "recording ended before the disk was full");
	end(l, LOOP_END_DISK);
}

/* ---- what goes on ---- */

static void tell_ready(struct loop *l)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "recording %d\n", (int)l->settings.ids[0]);
	struct err err = ERR_INIT;

	if (l->config->options->ready_fd < 0)
		return;
	if (write(l->config->options->ready_fd, line, (size_t)n) < 0) {
		err_errno(&err, "-ready-fd %d", l->config->options->ready_fd);
		listener_warn(&l->config->listener, &err);
	}
	if (l->config->options->ready_fd > STDERR_FILENO)
		close(l->config->options->ready_fd);
}

/* Perf records: now the rest may begin. */
static int go(struct loop *l, struct err *err)
{
	const struct listener *listener = &l->config->listener;

	for (size_t i = 0; i < l->settings.n_ids; i++)
		tasks_collect(l->config->recording, l->settings.ids[i]);
	if (l->trigger)
		trigger_arm(l->trigger);
	if (l->program && target_resume(l->program, err) < 0)
		return -1;
	if (l->command && target_resume(l->command, err) < 0)
		return -1;
	l->going = true;
	if (l->config->options->duration)
		l->deadline = monotonic_ns() + (int64_t)l->config->options->duration;
	tell_ready(l);
	if (!l->program)
		listener_say(listener, "[ Attached. Press Ctrl-C to stop recording. ]");
	else
		listener_say(listener, "[ Recording process %d. ]", (int)target_pid(l->program));
	return 0;
}

/* Perf is done with a snapshot, or has not answered in time. */
static void snapshot_done(struct loop *l)
{
	const struct listener *listener = &l->config->listener;
	bool taken = perf_record_snapshots(l->perf) > l->snapshots;
	struct err err = ERR_INIT;

	l->taking = false;
	l->snapshots = perf_record_snapshots(l->perf);
	if (taken && !is_multi(l))
		end(l, LOOP_END_SNAPSHOT);
	if (l->trigger && l->end == LOOP_END_NOT_YET)
		trigger_arm(l->trigger);
	/* who reads this may cause the next hit at once */
	if (taken) {
		listener_say(listener, "[ Snapshot taken. ]");
	} else {
		err_set(&err, "%s did not take the snapshot that was asked for", l->settings.perf);
		listener_warn(listener, &err);
	}
}

/*
 * Whether what the rings hold at the end is wanted: nobody asked for a snapshot before, and a
 * trigger's silence does not say that nobody wants one.
 */
static bool wants_last(const struct loop *l)
{
	return l->snapshots == 0 && !l->last && !snapshot_is_stop(l) &&
	       (l->end == LOOP_END_TARGETS || (l->end != LOOP_END_NOT_YET && !l->trigger));
}

static void stop(struct loop *l)
{
	if (l->stopped)
		return;
	l->stopped = true;
	perf_record_stop(l->perf);
}

/* What perf is to do next. */
static void decide(struct loop *l, enum perf_record_state state)
{
	if (state != PERF_RECORDING) {
		if (state == PERF_STARTING && l->end != LOOP_END_NOT_YET)
			stop(l);
		return;
	}
	if (l->taking)
		snapshot_done(l);
	if (!l->want && wants_last(l))
		l->want = l->last = true;
	if (l->want && snapshot_is_stop(l)) {
		l->want = false;
		l->snapshots++;
		end(l, LOOP_END_SNAPSHOT);
	}
	if (l->want) {
		l->want = false;
		l->taking = true;
		perf_record_snapshot(l->perf);
	} else if (l->end != LOOP_END_NOT_YET) {
		stop(l);
	}
}

/* ---- the loop ---- */

static int min_timeout(int a, int64_t b)
{
	if (b < 0)
		return a;
	if (b > INT32_MAX)
		b = INT32_MAX;
	return a < 0 || b < a ? (int)b : a;
}

static void wait_for_something(struct loop *l)
{
	struct pollfd *fds = l->fds;
	size_t n_watched;
	int timeout, n = 0;

	perf_record_poll(l->perf, fds, &timeout);
	n += PERF_RECORD_FDS;
	fds[n++] = (struct pollfd){ .fd = l->signals.fd, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = l->trigger && l->going ? trigger_fd(l->trigger) : -1,
				    .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = l->program && l->going && l->end == LOOP_END_NOT_YET
						  ? target_fd(l->program)
						  : -1,
				    .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = l->command && l->going && l->end == LOOP_END_NOT_YET
						  ? target_fd(l->command)
						  : -1,
				    .events = POLLIN };
	if (l->watch && l->end == LOOP_END_NOT_YET) {
		watch_poll(l->watch, fds + n);
		watch_pids(l->watch, &n_watched);
		n += (int)n_watched;
	}
	if (l->deadline && l->end == LOOP_END_NOT_YET)
		timeout = min_timeout(timeout, (l->deadline - monotonic_ns()) / NS_PER_MS + 1);
	if (l->settings.snapshot == PERF_SNAPSHOT_NEVER && l->end == LOOP_END_NOT_YET)
		timeout = min_timeout(timeout, DISK_LOOK_MS);
	if (l->trigger && l->going && l->end == LOOP_END_NOT_YET)
		timeout = min_timeout(timeout, trigger_wait(l->trigger));
	poll(fds, (nfds_t)n, timeout);
}

/* Perf ended before it recorded, as it was told or of itself. 0 when it was started again. */
static int ended_early(struct loop *l, struct err *err)
{
	if (!l->stopped)
		return launch_again(l, err);
	if (l->end == LOOP_END_TARGETS)
		return err_set(err, "what was to be traced ended before anything was recorded");
	if (l->end == LOOP_END_DISK) {
		err_set(err,
			"%s has less than %u MiB free, which is too little for -full-execution",
			workdir_path(l->config->dir), (unsigned int)(FREE_BYTES_MIN >> 20));
		return err_hint(err, "free some space, or record elsewhere with -working-directory "
				     "DIR or $TMPDIR");
	}
	return err_set(err, "stopped before anything was recorded");
}

/*
 * Perf ends with its targets, and that may be before it is asked for the snapshot of a hit, or has
 * answered: what it wrote at its end is that snapshot, when sampling.
 */
static void take_last(struct loop *l)
{
	/* the end counts as one when it takes it, wanted or not */
	size_t taken = snapshot_is_stop(l) ? 0 : perf_record_snapshots(l->perf);
	bool open;

	step_trigger(l);
	open = l->want || (l->taking && taken <= l->snapshots);
	if (taken > l->snapshots)
		l->snapshots = taken;
	if (!open || l->settings.mode != PERF_SAMPLING)
		return;
	l->snapshots++;
	if (!snapshot_is_stop(l))
		listener_say(&l->config->listener, "[ Snapshot taken. ]");
}

/* 0 when perf has ended and has recorded; else -1 with err. */
static int drive(struct loop *l, struct err *err)
{
	enum perf_record_state state;

	for (;;) {
		wait_for_something(l);
		step_signals(l);
		step_targets(l);
		step_trigger(l);
		step_disk(l);
		state = perf_record_step(l->perf);
		if (state == PERF_ENDED && l->going) {
			take_last(l);
			return 0;
		}
		if (state == PERF_ENDED && ended_early(l, err) < 0)
			return -1;
		if (state == PERF_RECORDING && !l->going && l->end == LOOP_END_NOT_YET &&
		    go(l, err) < 0)
			return -1;
		decide(l, state);
	}
}

/* Perf has ended, though it may not have been told to. */
static void conclude(struct loop *l)
{
	struct err err = ERR_INIT;

	if (launch_finish(l, &err) < 0) {
		recording_set_part(l->config->recording, err.msg);
		listener_warn(&l->config->listener, &err);
		return;
	}
	/* untold it ends when its targets do, which it may know before us */
	end(l, LOOP_END_TARGETS);
	if (snapshot_is_stop(l) && (l->snapshots || !l->trigger || l->end == LOOP_END_TARGETS))
		listener_say(&l->config->listener, "[ Snapshot taken. ]");
}

int loop_run(struct loop *l, struct err *err)
{
	size_t n_watched = 0;
	int r;

	if (l->watch)
		watch_pids(l->watch, &n_watched);
	l->fds = xcalloc(PERF_RECORD_FDS + 4 + n_watched, sizeof(*l->fds));
	r = launch_perf(l, err);
	if (r == 0)
		r = drive(l, err);
	if (r == 0)
		conclude(l);
	if (l->perf)
		launch_finish(l, NULL);
	free(l->fds);
	l->fds = NULL;
	return r;
}
