/* SPDX-License-Identifier: MIT */
/*
 * ahead: what a thread does next, where a branch alone does not say which stack it leads to.
 *
 * Several stacks may wait for control to land at one place. The one it is shows when its frames
 * return: each to behind its own call. So events of the thread wait here until that is known, and
 * the branch is carried out then.
 */
#ifndef MT_STACK_AHEAD_H
#define MT_STACK_AHEAD_H

#include "event/event.h"
#include "stack/callstack.h"

#include <stdbool.h>
#include <stdint.h>

/* Events that wait at most, and calls inside each other that are followed. */
#define AHEAD_EVENTS 1024u
#define AHEAD_CALLS  64u

/* What a branch that is in doubt may do; see doubt.h. */
enum ahead_way {
	AHEAD_NONE,  /* there is no doubt */
	AHEAD_TOP,   /* it returns from the frame on top */
	AHEAD_LOWER, /* it goes on in a frame further down: below frame `index` of the level */
	AHEAD_FIBER, /* it goes on with stack `index` of those that were left */
	AHEAD_NEW,   /* it begins a stack */
	AHEAD_JUMP,  /* it is a jump, of the function on top, which there is */
};

struct ahead_path {
	enum ahead_way way;
	uint32_t index;
	uint32_t left; /* which of the paths is taken when several remain: the one with the least */
	uint32_t n;    /* frames on that stack then, the last one on top; borrowed while it waits */
	const struct frame *frames;
};

struct ahead {
	struct event *events;     /* AHEAD_EVENTS, a ring; NULL before the first doubt; owned */
	uint32_t first, n;        /* of those that wait; the first one is in doubt */
	uint32_t looked;          /* so many were looked at, the first one included */
	bool judged;              /* paths were told of the first one, or there is no doubt */
	struct ahead_path *paths; /* owned */
	uint32_t n_paths, cap_paths;
	uint64_t calls[AHEAD_CALLS]; /* from where, of those made since, the innermost last */
	uint32_t n_calls;
	uint64_t stopped; /* where tracing stopped; 0: it did not */
};

/* Nothing waits. Free with ahead_fini. */
void ahead_init(struct ahead *a);
void ahead_fini(struct ahead *a);

/* An event, not a sample, waits behind those that do. There must be room: n < AHEAD_EVENTS. */
void ahead_wait(struct ahead *a, const struct event *ev);

/* The first of those that wait, which there is; and the same, taken away. */
const struct event *ahead_first(const struct ahead *a);
struct event ahead_next(struct ahead *a);

/*
 * Begins to look at what follows the first one (which may be added later): there is no doubt about
 * it as yet. And tells one of the paths that it may take.
 */
void ahead_doubt(struct ahead *a);
void ahead_tell(struct ahead *a, const struct ahead_path *path);

/*
 * Whether the path of the first one is known, by what waits behind it if there is more than one; or
 * as well as it can be, for the stack was left again, or no more may wait.
 */
bool ahead_known(struct ahead *a);

/* The path that is taken as far as is known; AHEAD_NONE without a path. */
struct ahead_path ahead_path(const struct ahead *a);

/* Whether the paths told, two or more, differ in what can be seen of them. */
bool ahead_differ(const struct ahead *a);

#endif
