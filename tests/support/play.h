/* SPDX-License-Identifier: MIT */
/* play: feeds hand-made events to the stacks, one call a record, and collects the spans. */
#ifndef MT_TESTS_SUPPORT_PLAY_H
#define MT_TESTS_SUPPORT_PLAY_H

#include "stack/stacks.h"
#include "support/collect.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

struct play {
	struct intern *names;
	struct spool_pool *pool;
	struct collect collect;
	struct stacks_config config; /* to be changed before the first event */
	struct stacks *stacks;
	int32_t pid, tid; /* of the events that follow */
	bool in_tx;       /* likewise */
};

static inline void play_init(struct play *p, enum trace_scope scope)
{
	memset(p, 0, sizeof(*p));
	p->names = intern_new(0);
	p->pool = spool_pool_new(1 << 20);
	p->config = (struct stacks_config){
		.scope = scope,
		.names = p->names,
		.sink = collect_sink(&p->collect, p->names),
		.pool = p->pool,
	};
	p->pid = p->tid = 7;
}

static inline void play_fini(struct play *p)
{
	stacks_free(p->stacks);
	spool_pool_free(p->pool);
	intern_free(p->names);
}

static inline void play_event(struct play *p, struct event *ev)
{
	if (!p->stacks)
		p->stacks = stacks_new(&p->config);
	ev->pid = p->pid;
	ev->tid = p->tid;
	stacks_feed(p->stacks, ev);
}

/*
 * Each symbol has its own page: "name" is entered at its first byte, "name+8" eight bytes on;
 * "" is address 0 without a name, "?ADDR" (hex) an address without one.
 */
static inline struct location play_place(struct play *p, const char *text)
{
	const char *plus = strchr(text, '+');
	struct location loc = { 0 };
	struct str name = str_of(text);

	if (text[0] == '\0')
		return loc;
	if (text[0] == '?') {
		loc.addr = strtoull(text + 1, NULL, 16);
		return loc;
	}
	if (plus) {
		name.n = (size_t)(plus - text);
		loc.off = strtoull(plus + 1, NULL, 10);
	}
	loc.sym = intern_add(p->names, name);
	/* names that begin with k_ lie in the kernel */
	loc.addr = (str_starts(name, STR("k_")) ? 0xffffffff80000000u : 0) + loc.sym * 0x1000ull +
		   loc.off;
	return loc;
}

static inline void play_branch(struct play *p, int64_t t, enum trace_state state,
			       enum branch_kind kind, const char *src, const char *dst)
{
	struct event ev = { .kind = EVENT_BRANCH, .has_time = true, .time = t, .in_tx = p->in_tx };

	ev.branch.kind = kind;
	ev.branch.state = state;
	ev.branch.src = play_place(p, src);
	ev.branch.dst = play_place(p, dst);
	play_event(p, &ev);
}

/* User code, traced from the beginning of main on, at 1000. */
static inline void play_main(struct play *p)
{
	play_init(p, SCOPE_USER);
	play_branch(p, 1000, TRACE_START, BRANCH_NONE, "", "main");
}

static inline void play_call_at(struct play *p, int64_t t, const char *src, const char *dst)
{
	play_branch(p, t, TRACE_ON, BRANCH_CALL, src, dst);
}

static inline void play_call(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_ON, BRANCH_CALL, "", dst);
}

static inline void play_return(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_ON, BRANCH_RETURN, "", dst);
}

static inline void play_jump(struct play *p, int64_t t, const char *dst)
{
	play_branch(p, t, TRACE_ON, BRANCH_JMP, "", dst);
}

/* t < 0: an error without a time. */
static inline void play_error(struct play *p, int64_t t, const char *message)
{
	struct event ev = { .kind = EVENT_ERROR, .has_time = t >= 0, .time = t < 0 ? 0 : t };

	ev.error.message = intern_add(p->names, str_of(message));
	play_event(p, &ev);
}

/* The end; returns the lines of all spans. */
static inline const char *play_end(struct play *p)
{
	if (!p->stacks)
		p->stacks = stacks_new(&p->config);
	stacks_finish(p->stacks);
	return p->collect.text;
}

/* As play_end, with the lines sorted by time, equal times in the order they were given. */
static inline const char *play_end_sorted(struct play *p)
{
	play_end(p);
	return collect_sort(&p->collect);
}

/* Ends it: these have to be the lines of play_end_sorted. */
static inline void play_expect(struct play *p, const char *text)
{
	ck_assert_str_eq(play_end_sorted(p), text);
	play_fini(p);
}

#endif
