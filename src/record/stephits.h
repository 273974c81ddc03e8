/* SPDX-License-Identifier: MIT */
/* stephits: the hits of the stepping process, for who waits for them. */
#ifndef MT_RECORD_STEPHITS_H
#define MT_RECORD_STEPHITS_H

#include "record/hit.h"
#include "record/stepwire.h"
#include "record/tsc.h"
#include "soft/stepaim.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct stephits {
	struct stepwire *wire; /* borrowed; closed: the process has not been started */
	struct stepaims aims;  /* that it is to be started with, and whether they are on */
	bool armed;
	bool real; /* the recording's clock is CLOCK_MONOTONIC */
	/*
	 * With -multi-snapshot each hit has a snapshot of its own, taken at once, and is told when
	 * that is complete. It counts when it is read; who reads it asks for a snapshot, which is
	 * there then.
	 */
	bool multi;
	size_t claimed, snapshots;
	/* What was told, and how many of the first are to be read; owned. */
	struct hit *all;
	size_t n, ready;
	pid_t *executed;
	size_t n_executed;
	struct tsc_clock tsc;
};

/* A process is started; what an earlier one has told is forgotten. */
void stephits_begin(struct stephits *hits, bool multi, bool real);

/* Takes STEPWIRE_HIT, and STEPWIRE_EXECUTED. */
void stephits_take(struct stephits *hits, const struct stepwire_message *message);

/* The snapshot of the first hit that is not to be read yet is complete. */
void stephits_taken(struct stephits *hits);

/* Whether something is to be read, which no file descriptor says. */
bool stephits_any(const struct stephits *hits);

/* Nobody will read what there is. */
void stephits_forget(struct stephits *hits);

/* As hit.h says. It owns nothing. */
struct hit_source stephits_source(struct stephits *hits);

void stephits_fini(struct stephits *hits);

#endif
