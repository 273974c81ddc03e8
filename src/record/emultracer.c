/* SPDX-License-Identifier: MIT */
#include "record/emultracer.h"

#include "base/monotonic.h"
#include "record/emulfiles.h"
#include "record/emulstate.h"

#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(TRACER_FDS >= 2, "TRACER_FDS");

static const struct emulation *of(const void *self)
{
	return self;
}

static void tracer_poll(const void *self, struct pollfd fds[TRACER_FDS], int *timeout)
{
	const struct emulation *e = of(self);
	int64_t left = e->deadline - monotonic_ms();

	for (size_t i = 0; i < TRACER_FDS; i++)
		fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	*timeout = -1;
	if (e->state == TRACER_STOPPING || e->state == TRACER_SNAPSHOTTING)
		*timeout = left > 0 ? (int)left : 0;
	if (e->state == TRACER_ENDED || e->n_hits)
		*timeout = 0;
	if (e->state == TRACER_ENDED)
		return;
	fds[0].fd = qemuctl_fd(e->ctl);
	fds[1].fd = e->pidfd;
}

static bool has_ended(const struct emulation *e)
{
	struct pollfd fd = { .fd = e->pidfd, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static void run_out(struct emulation *e)
{
	struct err err = ERR_INIT;

	if (e->state == TRACER_SNAPSHOTTING) {
		emulstate_enter(e, TRACER_RECORDING, 0);
		return;
	}
	if (e->connected) {
		err_set(&err, "QEMU did not end the recording of process %d within %d s",
			(int)e->pid, EMULSTATE_STOP_MS / 1000);
		err_hint(&err, "a process that is stopped (^Z) cannot: kill -CONT %d lets it go on",
			 (int)e->pid);
	} else {
		err_set(&err, "QEMU did not begin to record process %d within %d s", (int)e->pid,
			EMULSTATE_ANSWER_MS / 1000);
		err_hint(&err, "-software-engine step takes no QEMU");
	}
	emulstate_trouble(e, &err);
	e->state = TRACER_ENDED;
}

static enum tracer_state tracer_step(void *self)
{
	struct emulation *e = self;
	bool ended, all;

	if (e->state == TRACER_ENDED)
		return e->state;
	/* in this order: what it has said before its end is there when that is seen */
	ended = has_ended(e);
	all = emulstate_take(e);
	if ((all && ended) || (e->over && (e->said_bye || !e->connected)) ||
	    (e->failed && e->said_bye))
		e->state = TRACER_ENDED;
	else if ((e->state == TRACER_STOPPING || e->state == TRACER_SNAPSHOTTING) &&
		 monotonic_ms() >= e->deadline)
		run_out(e);
	return e->state;
}

static void tracer_stop(void *self)
{
	struct emulation *e = self;

	if (e->state == TRACER_ENDED || e->stopping)
		return;
	e->stopping = true;
	emulstate_enter(e, TRACER_STOPPING, e->connected ? EMULSTATE_STOP_MS : EMULSTATE_ANSWER_MS);
	emulstate_ask(e);
}

static void tracer_snapshot(void *self)
{
	struct emulation *e = self;

	if (e->state != TRACER_RECORDING)
		return;
	if (!e->multi) {
		tracer_stop(self);
		return;
	}
	emulstate_enter(e, TRACER_SNAPSHOTTING, e->claimed ? 0 : EMULSTATE_ANSWER_MS);
	if (!e->claimed)
		emulstate_ask(e);
	e->claimed = 0;
}

static size_t tracer_snapshots(const void *self)
{
	return of(self)->snapshots;
}

/* The plugin sees its socket closed, and ends the recording by itself. */
static void tracer_kill(void *self)
{
	struct emulation *e = self;
	struct err err = ERR_INIT;

	if (e->state == TRACER_ENDED)
		return;
	qemuctl_close(e->ctl);
	e->ctl = NULL;
	e->state = TRACER_ENDED;
	err_set(&err,
		"the recording of process %d was given up before QEMU said that it was complete",
		(int)e->pid);
	emulstate_trouble(e, &err);
}

/* Why there is no file, when that is not known yet. */
static void explain_nothing(struct emulation *e)
{
	struct err err = ERR_INIT;

	if (e->n_images) {
		err_set(&err, "QEMU recorded nothing of process %d", (int)e->pid);
	} else {
		err_set(&err, "QEMU ended before it recorded process %d", (int)e->pid);
		err_hint(&err, "-software-engine step takes no QEMU");
	}
	emulstate_trouble(e, &err);
}

static void warn_of_missing(const struct emulation *e)
{
	struct err err = ERR_INIT;

	err_set(&err,
		"process %d executed another program, which is not recorded: QEMU ended before "
		"it did",
		(int)e->pid);
	listener_warn(e->listener, &err);
}

static int tracer_finish(void *self, struct err *err)
{
	struct emulation *e = self;

	tracer_kill(e);
	if (e->pidfd >= 0)
		close(e->pidfd);
	e->pidfd = -1;
	if (emulfiles_settle(e->data, e->n_images) == 0) {
		explain_nothing(e);
		if (err)
			*err = e->trouble;
		return -1;
	}
	if (e->in_trouble)
		listener_warn(e->listener, &e->trouble);
	else if (e->expected)
		warn_of_missing(e);
	return 0;
}

static pid_t tracer_group(const void *self)
{
	(void)self;
	return 0;
}

const struct tracer_ops emultracer_ops = {
	.poll = tracer_poll,
	.step = tracer_step,
	.snapshot = tracer_snapshot,
	.snapshots = tracer_snapshots,
	.stop = tracer_stop,
	.kill = tracer_kill,
	.finish = tracer_finish,
	.group = tracer_group,
};
