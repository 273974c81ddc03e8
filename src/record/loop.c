/* SPDX-License-Identifier: MIT */
#include "record/loop.h"

#include "base/monotonic.h"
#include "base/xalloc.h"
#include "record/identity.h"
#include "record/launch.h"
#include "record/limits.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DISK_LOOK_MS 100
#define NS_PER_MS    INT64_C(1000000)

/* Whether a snapshot is a file of its own, and recording goes on behind it. */
static bool is_multi(const struct loop *l)
{
	return l->settings.multi_snapshot;
}

/*
 * With sampled stacks, and with what is written at the end anyway, one snapshot is what is there
 * when the tracer stops.
 */
static bool snapshot_is_stop(const struct loop *l)
{
	return l->tracer.end_is_snapshot;
}

static size_t snapshots_taken(const struct loop *l)
{
	return l->tracer.ops->snapshots(l->tracer.self);
}

static void step_trigger(struct loop *l)
{
	/* what was hit just before the target's end is seen together with that */
	bool take = !l->taking && !l->stopped &&
		    (l->end == LOOP_END_NOT_YET || l->end == LOOP_END_TARGETS);

	/* one that has its snapshot waits until the one before is dealt with */
	if (l->tracer.hits_have_snapshots && l->taking)
		return;
	if (l->trigger && l->going &&
	    trigger_step(l->trigger, take ? l->config->recording : NULL, &l->config->listener))
		l->want = true;
}

/* ---- what ends it ---- */

/* It is ending already; the tracer may have much to write, or hang. */
static void on_impatience(struct loop *l)
{
	if (++l->impatient == 1) {
		listener_say(&l->config->listener,
			     "[ Waiting for %s to write what it has. Once more gives up. ]",
			     l->tracer.name);
		return;
	}
	l->stopped = true;
	l->tracer.ops->kill(l->tracer.self);
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
		loop_end(l, LOOP_END_TOLD);
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
		loop_end(l, LOOP_END_TARGETS);
	if (l->command && l->going && target_step(l->command) == TARGET_ENDED)
		loop_end(l, LOOP_END_TOLD);
	if (l->watch && !watch_any_left(l->watch))
		loop_end(l, LOOP_END_TARGETS);
	if (l->deadline && monotonic_ns() >= l->deadline)
		loop_end(l, LOOP_END_TOLD);
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

/* It is recorded: now the rest may begin. */
static int go(struct loop *l, struct err *err)
{
	const struct listener *listener = &l->config->listener;
	pid_t reused = l->watch ? watch_reused(l->watch) : 0;

	if (reused)
		return err_set(err, "process %d has ended, and its number is another process's now",
			       (int)reused);
	identity_processes(l);
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

/* The tracer is done with a snapshot, or has not answered in time. */
static void snapshot_done(struct loop *l)
{
	const struct listener *listener = &l->config->listener;
	bool taken = snapshots_taken(l) > l->snapshots;
	struct err err = ERR_INIT;

	l->taking = false;
	l->snapshots = snapshots_taken(l);
	if (taken && !is_multi(l))
		loop_end(l, LOOP_END_SNAPSHOT);
	limits_snapshots(l);
	if (l->trigger && l->end == LOOP_END_NOT_YET)
		trigger_arm(l->trigger);
	/* who reads this may cause the next hit at once */
	if (taken) {
		listener_say(listener, "[ Snapshot taken. ]");
	} else {
		err_set(&err, "%s did not take the snapshot that was asked for", l->tracer.name);
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
	/* an engine waits for a program that is held, and now never begins */
	if (l->software && !l->going)
		l->tracer.ops->kill(l->tracer.self);
	else
		l->tracer.ops->stop(l->tracer.self);
}

/* What the tracer is to do next. */
static void decide(struct loop *l, enum tracer_state state)
{
	if (state != TRACER_RECORDING) {
		if (state == TRACER_STARTING && l->end != LOOP_END_NOT_YET)
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
		loop_end(l, LOOP_END_SNAPSHOT);
	}
	if (l->want) {
		l->want = false;
		l->taking = true;
		l->tracer.ops->snapshot(l->tracer.self);
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

	l->tracer.ops->poll(l->tracer.self, fds, &timeout);
	n += TRACER_FDS;
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
	if (limits_disk_counts(l) && l->end == LOOP_END_NOT_YET)
		timeout = min_timeout(timeout, DISK_LOOK_MS);
	if (l->trigger && l->going && l->end == LOOP_END_NOT_YET)
		timeout = min_timeout(timeout, trigger_wait(l->trigger));
	poll(fds, (nfds_t)n, timeout);
}

/* The tracer ended before it recorded, as it was told or of itself. 0 when it was started again. */
static int ended_early(struct loop *l, struct err *err)
{
	if (!l->stopped)
		return launch_again(l, err);
	if (l->end == LOOP_END_TARGETS)
		return err_set(err, "what was to be traced ended before anything was recorded");
	if (l->end == LOOP_END_DISK) {
		err_set(err,
			"%s has less than %u MiB free, which is too little for -full-execution",
			workdir_path(l->config->dir), (unsigned int)(LIMITS_FREE_BYTES >> 20));
		return err_hint(err, "free some space, or record elsewhere with -working-directory "
				     "DIR or $TMPDIR");
	}
	return err_set(err, "stopped before anything was recorded");
}

/* The engine has ended; the hits that nobody has heard of yet have their snapshots. */
static void take_hits(struct loop *l)
{
	do {
		l->want = l->taking = false;
		trigger_arm(l->trigger);
		step_trigger(l);
	} while (l->want);
	l->snapshots = snapshots_taken(l);
}

/*
 * A tracer ends with its targets, and that may be before it is asked for the snapshot of a hit, or
 * has answered: what it wrote at its end may be that snapshot.
 */
static void take_last(struct loop *l)
{
	/* the end counts as one when it takes it, wanted or not */
	size_t taken = snapshot_is_stop(l) ? 0 : snapshots_taken(l);
	bool open;

	if (l->tracer.hits_have_snapshots && l->trigger) {
		take_hits(l);
		return;
	}
	step_trigger(l);
	open = l->want || (l->taking && taken <= l->snapshots);
	if (taken > l->snapshots)
		l->snapshots = taken;
	if (!open || !l->tracer.end_answers)
		return;
	l->snapshots++;
	if (!snapshot_is_stop(l))
		listener_say(&l->config->listener, "[ Snapshot taken. ]");
}

/* 0 when the tracer has ended and has recorded; else -1 with err. */
static int drive(struct loop *l, struct err *err)
{
	enum tracer_state state;

	for (;;) {
		wait_for_something(l);
		step_signals(l);
		step_targets(l);
		step_trigger(l);
		limits_disk(l);
		state = l->tracer.ops->step(l->tracer.self);
		if (state == TRACER_ENDED && l->going) {
			take_last(l);
			return 0;
		}
		if (state == TRACER_ENDED && ended_early(l, err) < 0)
			return -1;
		if (state == TRACER_RECORDING && !l->going && l->end == LOOP_END_NOT_YET &&
		    go(l, err) < 0)
			return -1;
		decide(l, state);
	}
}

/*
 * The tracer has ended, though it may not have been told to. -1 with err: there is nothing; what
 * perf has left, and what an engine wrote into earlier files, may still be decoded.
 */
static int conclude(struct loop *l, struct err *err)
{
	if (launch_finish(l, err) < 0) {
		if (l->software && !(is_multi(l) && l->snapshots))
			return err_prefix(err, "nothing was recorded");
		recording_set_part(l->config->recording, err->msg);
		listener_warn(&l->config->listener, err);
		*err = (struct err)ERR_INIT;
		return 0;
	}
	/* untold it ends when its targets do, which it may know before us */
	loop_end(l, LOOP_END_TARGETS);
	if (snapshot_is_stop(l) && (l->snapshots || !l->trigger || l->end == LOOP_END_TARGETS))
		listener_say(&l->config->listener, "[ Snapshot taken. ]");
	return 0;
}

int loop_run(struct loop *l, struct err *err)
{
	size_t n_watched = 0;
	int r;

	if (l->watch)
		watch_pids(l->watch, &n_watched);
	l->fds = xcalloc(TRACER_FDS + 4 + n_watched, sizeof(*l->fds));
	r = launch_tracer(l, err);
	if (r == 0)
		r = drive(l, err);
	if (r == 0)
		r = conclude(l, err);
	if (l->tracer.ops)
		launch_finish(l, NULL);
	free(l->fds);
	l->fds = NULL;
	return r;
}
