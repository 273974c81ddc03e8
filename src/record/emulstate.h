/* SPDX-License-Identifier: MIT */
/*
 * emulstate: what is known of a program that is run under QEMU, by what the plugin has said. For
 * emulation.c and emultracer.c.
 */
#ifndef MT_RECORD_EMULSTATE_H
#define MT_RECORD_EMULSTATE_H

#include "base/err.h"
#include "record/hit.h"
#include "record/listener.h"
#include "record/tracer.h"
#include "soft/qemuctl.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How long is waited for a snapshot or for QEMU to come up, and for the recording's end. */
#define EMULSTATE_ANSWER_MS 8000
#define EMULSTATE_STOP_MS   60000

struct emulation {
	struct qemuctl *ctl; /* NULL: closed */
	const struct listener *listener;
	char *data;
	bool multi, has_trigger;
	pid_t pid;
	int pidfd;
	enum tracer_state state;
	int64_t deadline; /* when patience with the state ends, ms; only for the two that wait */
	/* The programs that were executed, and the last one of them. */
	unsigned int n_images;
	bool connected, said_bye, failed;
	bool expected; /* another follows */
	bool over;     /* no more is recorded: a hit, or a program that cannot be recorded */
	bool stopping; /* it was told to stop */
	bool asked;    /* for what this state waits for */
	struct hit *hits;
	size_t n_hits, room;
	size_t claimed; /* hits that were read since arm, and have a snapshot */
	size_t snapshots;
	bool in_trouble;
	struct err trouble; /* the first */
	struct recorder_stats stats;
	bool has_stats;
};

/* Another state, in which there is patience for so many ms. */
void emulstate_enter(struct emulation *e, enum tracer_state state, unsigned int patience);

/* Something is wrong with what is recorded; the first such thing is kept. */
void emulstate_trouble(struct emulation *e, const struct err *what);

/*
 * Tells the plugin what is waited for in this state, once; when nobody is there, that is done when
 * somebody comes.
 */
void emulstate_ask(struct emulation *e);

/* Takes what the plugin has said. Whether that was all that is there for now. */
bool emulstate_take(struct emulation *e);

#endif
