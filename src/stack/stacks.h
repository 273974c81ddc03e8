/* SPDX-License-Identifier: MIT */
/*
 * stacks: events in, spans out: the call stacks of all threads, rebuilt from branches or samples.
 */
#ifndef MT_STACK_STACKS_H
#define MT_STACK_STACKS_H

#include "base/err.h"
#include "base/intern.h"
#include "base/span.h"
#include "base/spool.h"
#include "event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which code was recorded. */
enum trace_scope {
	SCOPE_USER,            /* /u */
	SCOPE_KERNEL,          /* /k */
	SCOPE_USER_AND_KERNEL, /* /uk */
};

/*
 * Where OCaml code installs, removes and enters exception handlers (the note .note.ocaml_eh).
 * Addresses as they are in the traced process, each list sorted, without duplicates.
 */
struct ocaml_traps {
	const uint64_t *push, *pop, *enter;
	size_t n_push, n_pop, n_enter;
};

/* One hit of a trigger, as it was recorded; times on perf's clock, ns. */
struct trigger_hit {
	int64_t time;
	int64_t passed; /* the time that the program passed, 0 for none */
	uint64_t arg;
	uint64_t ip;
	uint32_t symbol; /* interned */
	int32_t tid;
};

/* A function that was inlined: the same numbers stand for the same place in a process's code. */
struct inlined_function {
	uint64_t unit, scope;
	uint32_t name; /* interned */
};

/* Functions inlined into each other; of more, the inner ones are left out. */
#define INLINED_MAX 256

/* What was inlined at a place. */
struct inlined_place {
	uint64_t start, end;                      /* the code around it of which the same is true */
	uint32_t n;                               /* 0: nothing was inlined there */
	struct inlined_function all[INLINED_MAX]; /* outermost first */
};

struct stacks_config {
	enum trace_scope scope;
	struct intern *names; /* what events' names are numbers of; synthetic names are added */
	struct span_sink sink;
	struct spool_pool *pool; /* for what has to wait */
	bool skip_tx;            /* no rolling back of transactions: every event counts */
	bool reference;          /* stacks as the OCaml magic-trace builds them: see landing.h */
	bool reference_times;    /* as the OCaml magic-trace gives them: see spread.h */
	uint32_t max_depth;      /* frames shown on one track at a time; 0: no limit */
	struct str filter_start; /* both empty: no filter; else perf's raw names */
	struct str filter_stop;
	/* As struct filter has it (stack/filter.h), with ctx below; may be NULL. */
	uint32_t (*filter_named)(void *ctx, int32_t pid, const struct location *place);
	const struct ocaml_traps *traps; /* NULL: not known; then names are used (rule A) */
	const struct trigger_hit *hits;  /* borrowed for stacks_new */
	size_t n_hits;
	bool has_begin;
	int64_t begin; /* if has_begin: of the whole trace, of which this is a part: the base */
	/* Told the base (perf's clock, ns) once, before anything goes to the sink. May be NULL. */
	void (*base)(void *ctx, int64_t base);
	/*
	 * Fills *out for a place of a process that a branch comes from or goes to. Asked once a
	 * place as a rule. NULL: nothing is drawn of inlined functions.
	 */
	void (*inlined)(void *ctx, int32_t pid, const struct location *place,
			struct inlined_place *out);
	void *ctx; /* of these two */
};

struct stacks_stats {
	uint64_t threads;      /* with at least one event */
	uint64_t calls;        /* frames entered, inferred ones included, shown or not */
	uint64_t clamped;      /* events whose time stepped backwards on their thread */
	uint64_t inlined;      /* spans of inlined functions, shown or not */
	uint64_t hidden;       /* frames left out by max_depth */
	uint64_t out_of_scope; /* branches that the scope should not hold */
	uint64_t tx_aborted;   /* events dropped with their transaction */
	uint64_t tx_lost;      /* events of a transaction dropped because of a decode error in it */
	uint64_t bad_poptraps; /* OCaml handlers removed that were not seen installed */
	uint64_t regions;      /* of the filter, opened and closed */
	uint64_t overflowed;   /* stacks given up because they grew beyond all reason */
	int64_t first, last;   /* mapped time of the first and the last event, ns */
};

struct stacks;

/* Free with stacks_free, after stacks_finish. */
struct stacks *stacks_new(const struct stacks_config *config) __attribute__((returns_nonnull));
void stacks_free(struct stacks *stacks);

/* The events that follow are those of the next data file (call it before the first one too). */
void stacks_next_file(struct stacks *stacks);

/* Takes an event; it is borrowed for the call, and its `region` is set. */
void stacks_feed(struct stacks *stacks, struct event *ev);

/* The end of all data: closes every frame of every thread. */
void stacks_finish(struct stacks *stacks);

const struct stacks_stats *stacks_stats(const struct stacks *stacks);

#endif
