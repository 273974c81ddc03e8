/* SPDX-License-Identifier: MIT */
#include "record/emulation.h"

#include "base/child.h"
#include "base/xalloc.h"
#include "record/emulstate.h"
#include "record/emultracer.h"
#include "record/target.h"
#include "soft/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int emulation_new(const char *directory, const struct listener *listener, struct emulation **out,
		  struct err *err)
{
	struct emulation *e = xcalloc(1, sizeof(*e));

	e->listener = listener;
	e->pidfd = -1;
	e->state = TRACER_ENDED;
	if (qemuctl_open(directory, &e->ctl, err) < 0) {
		free(e);
		return -1;
	}
	*out = e;
	return 0;
}

void emulation_free(struct emulation *e)
{
	if (!e)
		return;
	qemuctl_close(e->ctl);
	if (e->pidfd >= 0)
		close(e->pidfd);
	free(e->hits);
	free(e->data);
	free(e);
}

/* ---- the command ---- */

char **emulation_command(struct emulation *e, const struct qemu *qemu,
			 const struct emulation_settings *settings, char *const argv[],
			 struct err *err)
{
	struct qemuargs args = {
		.out = settings->data,
		.control = qemuctl_path(e->ctl),
		.time = settings->time,
		.ring = settings->ring,
		.trigger = settings->trigger_file != NULL,
		.trigger_at = settings->trigger_at,
		.trigger_file = settings->trigger_file,
		.multi_thread = settings->multi_thread,
		/* without a ring there are no snapshots */
		.multi = settings->multi_snapshot && settings->ring,
	};
	char *path = child_find(argv[0]), *comm, **command;

	if (!path) {
		target_cannot_run(argv[0], NULL, errno, err);
		return NULL;
	}
	comm = image_comm(path);
	args.comm = comm;
	command = qemu_command(qemu, &args, path, argv, err);
	free(comm);
	free(path);
	free(e->data);
	e->data = xstrdup(settings->data);
	e->multi = args.multi;
	e->has_trigger = args.trigger;
	return command;
}

/* ---- the hits ---- */

static int hits_add(void *self, pid_t pid, uint64_t address, bool all_threads, struct err *err)
{
	(void)self;
	(void)pid;
	(void)address;
	(void)all_threads;
	(void)err;
	return 0;
}

/* What has come while it was off has a snapshot too, but nobody will ask for it. */
static void hits_arm(void *self)
{
	struct emulation *e = self;

	e->claimed = 0;
}

static void hits_disarm(void *self)
{
	(void)self;
}

static int hits_fd(const void *self)
{
	(void)self;
	return -1; /* those of the tracer are enough */
}

static size_t hits_read(void *self, struct hit *hits, size_t max)
{
	struct emulation *e = self;
	size_t n = e->n_hits < max ? e->n_hits : max;

	/* each has a snapshot of its own, which counts when it is heard of */
	if (e->multi && n > 1)
		n = 1;
	if (n == 0)
		return 0;
	memcpy(hits, e->hits, n * sizeof(*hits));
	e->n_hits -= n;
	memmove(e->hits, e->hits + n, e->n_hits * sizeof(*hits));
	if (e->multi) {
		e->claimed += n;
		e->snapshots += n;
	}
	return n;
}

static bool hits_executed(void *self, pid_t *pid)
{
	(void)self;
	*pid = 0;
	return false; /* the plugin looks for the trigger in each program */
}

struct hit_source emulation_hits(struct emulation *emulation)
{
	static const struct hit_source_ops ops = {
		.add = hits_add,
		.arm = hits_arm,
		.disarm = hits_disarm,
		.fd = hits_fd,
		.read = hits_read,
		.executed = hits_executed,
	};

	return (struct hit_source){ .ops = &ops, .self = emulation };
}

/* ---- the tracer ---- */

struct tracer emulation_tracer(struct emulation *e, pid_t pid)
{
	struct err err = ERR_INIT;

	e->pid = pid;
	e->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec as it is */
	e->state = TRACER_RECORDING;
	if (e->pidfd < 0) {
		err_errno(&err, "cannot watch process %d (pidfd_open)", (int)pid);
		emulstate_trouble(e, &err);
		e->state = TRACER_ENDED;
	}
	return (struct tracer){
		.ops = &emultracer_ops,
		.self = e,
		.name = "QEMU",
		.end_is_snapshot = !e->multi,
		.hits_have_snapshots = e->multi,
		.end_answers = !e->multi,
	};
}

bool emulation_stats(const struct emulation *e, struct recorder_stats *stats)
{
	if (e->state != TRACER_ENDED || !e->has_stats)
		return false;
	*stats = e->stats;
	return true;
}
