/* SPDX-License-Identifier: MIT */
#include "stack/ahead.h"

#include "base/xalloc.h"

#include <stdlib.h>

void ahead_init(struct ahead *a)
{
	a->events = NULL;
	a->paths = NULL;
	a->first = a->n = a->looked = 0;
	a->n_paths = a->cap_paths = a->n_calls = 0;
	a->stopped = 0;
	a->judged = false;
}

void ahead_fini(struct ahead *a)
{
	free(a->events);
	free(a->paths);
	ahead_init(a);
}

static struct event *waiting(const struct ahead *a, uint32_t i)
{
	return &a->events[(a->first + i) % AHEAD_EVENTS];
}

void ahead_wait(struct ahead *a, const struct event *ev)
{
	if (!a->events)
		a->events = xreallocarray(NULL, AHEAD_EVENTS, sizeof(*a->events));
	*waiting(a, a->n++) = *ev;
}

const struct event *ahead_first(const struct ahead *a)
{
	return waiting(a, 0);
}

struct event ahead_next(struct ahead *a)
{
	struct event ev = *waiting(a, 0);

	a->first = (a->first + 1) % AHEAD_EVENTS;
	a->n--;
	a->judged = false;
	return ev;
}

void ahead_doubt(struct ahead *a)
{
	a->judged = true;
	a->n_paths = 0;
	a->looked = 1;
	a->n_calls = 0;
	a->stopped = 0;
}

void ahead_tell(struct ahead *a, const struct ahead_path *path)
{
	if (a->n_paths == a->cap_paths) {
		a->cap_paths = a->cap_paths ? 2 * a->cap_paths : 8;
		a->paths = xreallocarray(a->paths, a->cap_paths, sizeof(*a->paths));
	}
	a->paths[a->n_paths++] = *path;
}

static bool same_frames(const struct ahead_path *p, const struct ahead_path *q)
{
	uint32_t i;

	if (p->n != q->n)
		return false;
	for (i = p->n; i-- > 0;)
		if (p->frames[i].from != q->frames[i].from ||
		    p->frames[i].start != q->frames[i].start)
			return false;
	return true;
}

bool ahead_differ(const struct ahead *a)
{
	uint32_t i;

	for (i = 1; i < a->n_paths; i++)
		if (!same_frames(&a->paths[0], &a->paths[i]))
			return true;
	return false;
}

/*
 * Whether the frame on top of the path may return to dst. What was jumped to may also return into
 * the function that jumped, which has made the return address.
 */
static bool may_return(const struct ahead_path *path, const struct location *dst)
{
	const struct frame *top;

	if (!path->n)
		return false;
	top = &path->frames[path->n - 1];
	return frame_expects(top, dst->addr) ||
	       (path->way == AHEAD_JUMP && frame_same_start(top, dst));
}

/*
 * The frame on top returned to dst: only those paths are left of which that may be true, if there
 * are any. Whether more can be learned.
 */
static bool returned(struct ahead *a, const struct location *dst)
{
	uint32_t i, kept = 0;

	for (i = 0; i < a->n_paths; i++) {
		struct ahead_path path = a->paths[i];

		if (!may_return(&path, dst))
			continue;
		path.n--;
		a->paths[kept++] = path;
	}
	if (!kept)
		return false;
	a->n_paths = kept;
	return ahead_differ(a);
}

static bool within_call(uint64_t from, uint64_t addr)
{
	struct frame frame = { .kind = FRAME_CALL, .from = from };

	return frame_expects(&frame, addr);
}

/* Whether the branch is one of the function that is to have jumped, to where that was called. */
static bool switches(const struct ahead_path *path, const struct event *ev)
{
	const struct frame *jumped;

	if (path->way != AHEAD_JUMP)
		return false;
	jumped = &path->frames[path->n - 1];
	return frame_same_start(jumped, &ev->branch.src) &&
	       frame_expects(jumped, ev->branch.dst.addr);
}

/*
 * Control goes far away, and nothing more can be learned. But a function that has jumped, and then
 * goes back to where it was called out of calls inside itself, has not jumped: it switches stacks.
 */
static bool gone(struct ahead *a, const struct event *ev)
{
	uint32_t i, kept = 0;

	for (i = 0; i < a->n_paths; i++)
		if (!switches(&a->paths[i], ev))
			a->paths[kept++] = a->paths[i];
	a->n_paths = kept;
	return false;
}

static bool look_at_branch(struct ahead *a, const struct event *ev)
{
	uint64_t src = ev->branch.src.addr, dst = ev->branch.dst.addr;

	switch (ev->branch.kind) {
	case BRANCH_CALL:
		/* One of the next instruction returns from nothing. */
		if (ev->branch.dst.off && dst - src == 5)
			return true;
		if (a->n_calls == AHEAD_CALLS)
			return false;
		a->calls[a->n_calls++] = src;
		return true;
	case BRANCH_RETURN:
		if (!a->n_calls)
			return returned(a, &ev->branch.dst);
		return within_call(a->calls[--a->n_calls], dst) || gone(a, ev);
	case BRANCH_JMP:
		/* To the middle of another function: far away. */
		return !ev->branch.dst.off || ev->branch.dst.sym == ev->branch.src.sym ||
		       gone(a, ev);
	case BRANCH_NONE:
	case BRANCH_JCC:
	case BRANCH_INT: return true;
	default: return false;
	}
}

/* Tracing stops or goes on, in the same place if more can be learned. */
static bool look_at_stop(struct ahead *a, const struct event *ev)
{
	if (ev->branch.state == TRACE_END) {
		a->stopped = ev->branch.src.addr;
		return ev->branch.kind != BRANCH_CALL && ev->branch.kind != BRANCH_RETURN;
	}
	return a->stopped && ev->branch.dst.addr - a->stopped < 15;
}

/* Whether more can be learned from what comes behind the event. */
static bool look(struct ahead *a, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_BRANCH:
		return ev->branch.state == TRACE_ON ? look_at_branch(a, ev) : look_at_stop(a, ev);
	case EVENT_EXTRA:
	case EVENT_CBR:
	case EVENT_PTWRITE: return true;
	default: return false;
	}
}

bool ahead_known(struct ahead *a)
{
	if (a->n_paths < 2)
		return true;
	while (a->looked < a->n)
		if (!look(a, waiting(a, a->looked++)))
			return true;
	return a->n == AHEAD_EVENTS;
}

struct ahead_path ahead_path(const struct ahead *a)
{
	struct ahead_path best = { .way = AHEAD_NONE };
	uint32_t i;

	for (i = 0; i < a->n_paths; i++)
		if (best.way == AHEAD_NONE || a->paths[i].left < best.left)
			best = a->paths[i];
	return best;
}
