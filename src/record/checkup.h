/* SPDX-License-Identifier: MIT */
/* checkup: what can be recorded on this machine, point by point, and what would improve it. */
#ifndef MT_RECORD_CHECKUP_H
#define MT_RECORD_CHECKUP_H

#include "base/err.h"
#include "perf/version.h"
#include "record/host.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum checkup_state {
	CHECKUP_GOOD,
	CHECKUP_POOR,    /* works, but something better could be had */
	CHECKUP_MISSING, /* is not there, or does not work */
};

/* "good", "poor", "missing". */
const char *checkup_state_name(enum checkup_state state) __attribute__((returns_nonnull));

struct checkup_item {
	const char *name; /* static */
	enum checkup_state state;
	/* The message: what was found. The hint: what would improve it; empty when it is good. */
	struct err what;
};

#define CHECKUP_ITEMS 24

struct checkup {
	struct checkup_item items[CHECKUP_ITEMS];
	size_t n_items;
	/* "intel_pt", "sampling" or NULL: nothing can be recorded. */
	const char *mode;
	bool software;   /* -software works, by one of its engines */
	char event[160]; /* what perf is asked for, "" when nothing */
	/* Of it a sentence; and what to do about it when nothing can be recorded. */
	struct err result;
};

/* What it is drawn from. Strings are owned: checkup_facts_free. */
struct checkup_facts {
	struct host host;
	char *perf; /* the program's path; NULL: not found */
	struct perf_version version;
	struct err perf_err;     /* why perf cannot be used; msg "": it can */
	char *qemu;              /* "QEMU 7.2, PATH", with our plugin; NULL: */
	struct err qemu_err;     /* why it cannot be used */
	char *fzf;               /* its path; NULL: not found */
	char *debuginfod;        /* DEBUGINFOD_URLS; NULL: not set */
	char *temporary;         /* the directory that recordings go to */
	uint64_t free_bytes;     /* there; UINT64_MAX: not known */
	bool perf_is_privileged; /* as in struct record_options */
	bool no_kcore;
};

/*
 * Looks at this machine: runs `perf version` with the perf of that path, or that name in PATH, and
 * QEMU's, and reads the environment.
 */
void checkup_look(struct checkup_facts *facts, const char *perf);
void checkup_facts_free(struct checkup_facts *facts);

/* Draws the conclusions. Pure. */
void checkup_make(struct checkup *checkup, const struct checkup_facts *facts);

#endif
