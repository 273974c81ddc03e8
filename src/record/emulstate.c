/* SPDX-License-Identifier: MIT */
#include "record/emulstate.h"

#include "base/monotonic.h"
#include "base/xalloc.h"

#include <stdlib.h>
#include <unistd.h>

/* So many messages are taken, and so many hits kept, until others had their turn. */
#define MESSAGES_MAX 256
#define HITS_MAX     4096

static void add_hit(struct emulation *e, const struct qemuctl_message *m)
{
	if (!e->has_trigger || e->n_hits == HITS_MAX || m->time > INT64_MAX)
		return;
	if (e->n_hits == e->room) {
		e->room = e->room ? 2 * e->room : 16;
		e->hits = xreallocarray(e->hits, e->room, sizeof(*e->hits));
	}
	e->hits[e->n_hits++] = (struct hit){
		.time = (int64_t)m->time,
		.ip = m->ip,
		.pid = e->pid,
		.tid = m->pid,
	};
}

void emulstate_enter(struct emulation *e, enum tracer_state state, unsigned int patience)
{
	e->state = state;
	e->deadline = monotonic_ms() + patience;
	e->asked = false;
}

void emulstate_trouble(struct emulation *e, const struct err *what)
{
	if (e->in_trouble)
		return;
	e->in_trouble = true;
	e->trouble = *what;
}

void emulstate_ask(struct emulation *e)
{
	if (!e->connected || e->asked)
		return;
	/* when it cannot be told, it has gone, and that arrives next */
	if (e->state == TRACER_STOPPING && e->stopping)
		e->asked = qemuctl_stop(e->ctl, NULL) == 0;
	else if (e->state == TRACER_SNAPSHOTTING && !e->said_bye)
		e->asked = qemuctl_snapshot(e->ctl, NULL) == 0;
}

static void on_hello(struct emulation *e, unsigned int image)
{
	/* they are counted by who executes the next one */
	if (image != e->n_images)
		return;
	e->n_images++;
	e->connected = true;
	e->said_bye = e->failed = e->expected = e->asked = false;
	/* it was told to stop before it was there: now there is patience for its writing */
	if (e->state == TRACER_STOPPING)
		emulstate_enter(e, TRACER_STOPPING, EMULSTATE_STOP_MS);
	emulstate_ask(e);
}

static void on_hit(struct emulation *e, const struct qemuctl_message *m)
{
	if (e->multi && e->failed)
		return; /* it has no snapshot */
	add_hit(e, m);
	if (e->multi)
		return;
	e->over = true;
	if (e->state == TRACER_RECORDING)
		emulstate_enter(e, TRACER_STOPPING, EMULSTATE_STOP_MS);
}

static void on_bye(struct emulation *e, const struct recorder_stats *stats)
{
	e->said_bye = true;
	if (e->failed)
		return;
	e->has_stats = true;
	e->stats.instructions += stats->instructions;
	e->stats.branches += stats->branches;
	e->stats.syscalls += stats->syscalls;
	e->stats.bytes += stats->bytes;
	/* the thread that executed the program has been counted */
	e->stats.threads += stats->threads - (e->n_images > 1 && stats->threads);
	e->stats.seconds += stats->seconds;
}

static void on_untraced(struct emulation *e, const char *why)
{
	struct err err = ERR_INIT;

	e->over = true;
	e->expected = false;
	err_set(&err, "from here on process %d is not recorded: %s", (int)e->pid, why);
	err_hint(&err, "-software-engine step may record it further");
	listener_warn(e->listener, &err);
}

static void on_failed(struct emulation *e, const char *why)
{
	struct err err = ERR_INIT;

	err_set(&err, "what QEMU recorded of process %d cannot be used: %s", (int)e->pid, why);
	emulstate_trouble(e, &err);
	e->failed = true;
	/* one that is not whole may look as if it were; with several, those before are */
	if (!e->multi && e->n_images) {
		char *path = recorder_file_name(e->data, e->n_images - 1, 0);

		unlink(path);
		free(path);
	}
}

static void on_done(struct emulation *e)
{
	/* behind the end, a snapshot has taken nothing */
	if (!e->said_bye && !e->failed)
		e->snapshots++;
	else if (e->stopping && !e->expected)
		e->over = true;
	if (e->state == TRACER_SNAPSHOTTING)
		emulstate_enter(e, TRACER_RECORDING, 0);
}

static void on_gone(struct emulation *e)
{
	struct err err = ERR_INIT;
	bool lost = e->connected && !e->said_bye;

	e->connected = false;
	e->asked = false;
	if (!lost)
		return;
	err_set(&err,
		"QEMU was killed, or failed, while it recorded process %d: the file has no end",
		(int)e->pid);
	err_hint(&err, "-software-engine step keeps what was recorded of a program that is killed");
	emulstate_trouble(e, &err);
}

static void take(struct emulation *e, const struct qemuctl_message *m)
{
	switch (m->kind) {
	case QEMUCTL_HELLO: on_hello(e, m->image); break;
	case QEMUCTL_HIT: on_hit(e, m); break;
	case QEMUCTL_BYE: on_bye(e, &m->stats); break;
	case QEMUCTL_EXEC: e->expected = true; break;
	case QEMUCTL_UNTRACED: on_untraced(e, m->why); break;
	case QEMUCTL_FAILED: on_failed(e, m->why); break;
	case QEMUCTL_DONE: on_done(e); break;
	case QEMUCTL_GONE: on_gone(e); break;
	case QEMUCTL_NOTHING: break;
	}
}

bool emulstate_take(struct emulation *e)
{
	struct qemuctl_message m;

	for (int i = 0; i < MESSAGES_MAX; i++) {
		qemuctl_next(e->ctl, &m);
		if (m.kind == QEMUCTL_NOTHING)
			return true;
		take(e, &m);
	}
	return false;
}
