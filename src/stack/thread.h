/* SPDX-License-Identifier: MIT */
/*
 * thread: what is known of one thread, and the steps of which all rules are made.
 *
 * All times are mapped: ns since the base, the time that the trace calls 0.
 */
#ifndef MT_STACK_THREAD_H
#define MT_STACK_THREAD_H

#include "base/span.h"
#include "base/spool.h"
#include "event/event.h"
#include "stack/ahead.h"
#include "stack/callstack.h"
#include "stack/fibers.h"
#include "stack/inlines.h"
#include "stack/known.h"
#include "stack/outlet.h"
#include "stack/runs.h"
#include "stack/spread.h"
#include "stack/stacks.h"

#include <stdbool.h>
#include <stdint.h>

/* Functions that were seen to switch stacks; more than a program has. */
#define SWITCHERS_MAX 16

/* Functions that were seen to jump to others; one makes room for another. */
#define JUMPERS 1024

/* What all threads share. */
struct shared {
	struct stacks_config config;
	struct known known;
	struct outlet outlet;
	struct inlines *inlines; /* NULL: nothing is drawn of inlined functions */
	struct stacks_stats stats;
	uint64_t switchers[SWITCHERS_MAX]; /* the first addresses of such functions */
	uint32_t n_switchers;
	uint64_t jumpers[JUMPERS]; /* the first addresses of such functions, see doubt.h */
	uint32_t arrows;           /* drawn so far, of all threads */
};

struct thread {
	struct shared *shared;
	int32_t pid, tid;
	bool lost;      /* the outermost level is of frames in doubt: see loss.h */
	bool unwinds;   /* if lost: what left frames otherwise than by returns was there */
	bool lost_due;  /* data was lost behind what is still to come: likewise */
	bool started;   /* it had an event */
	bool active;    /* see regions.h; likewise epoch */
	bool has_track; /* asked of the sink when the first span is due, so that no track is empty
			 */
	struct callstack stack;
	struct fibers fibers;
	struct spread spread;
	struct ahead ahead;     /* events that wait for what follows */
	struct ahead_path path; /* of the one that is carried out; AHEAD_NONE: not in doubt */
	struct spool queue;     /* struct event: of a transaction that may still be undone */
	uint32_t epoch;
	int64_t last_error_time; /* also the time at which this part of its trace began */
	int64_t last_event_time; /* without the shift that keeps it apart from an error's */
	struct runs runs;        /* if lost: frames from before that were found again, see loss.h */
	uint32_t lost_certain;  /* if lost: so many outermost frames are of functions that differ */
	uint32_t lost_group;    /* if lost: the hold's group of the stack behind it */
	uint32_t lost_shown;    /* if lost: so many of these frames are counted as shown */
	int64_t lost_time;      /* if lost: where the stretch that was lost ends; if due: begins */
	int64_t floor;          /* nothing is earlier: a filter region was left or entered then */
	uint64_t cut;           /* frames left out below the frame that is deepest of those shown */
	uint64_t at;            /* where the last branch led to, 0: not known */
	struct inlines_run run; /* of the code there, or of what was looked at last */
	uint32_t raises;        /* OCaml: frames of the runtime seen while it looks for a handler */
	uint64_t previous_dst;  /* OCaml: of the branch before */
	bool has_previous_dst;
};

/* A thread without an event. Free with thread_fini. */
void thread_init(struct thread *th, struct shared *shared, int32_t pid, int32_t tid);
void thread_fini(struct thread *th);

/* Its first event is at t. */
void thread_start(struct thread *th, int64_t t);

/*
 * The time at which an event of unshifted time t happens for this thread; it becomes the last event
 * time. Never before what happened already: a time that steps back is counted.
 */
int64_t thread_time(struct thread *th, int64_t t);

/* The thread's track, asked of the sink the first time. */
uint32_t thread_track(struct thread *th);

/* The spread that takes the thread's spans, with its track known when they may be written. */
struct spread *thread_spread(struct thread *th);

/* Whether nothing more is shown inside what is there. */
bool thread_too_deep(const struct thread *th);

/* See thread_set_inlined; the chain is not what is open. */
void thread_draw_inlined(struct thread *th, int64_t t, uint32_t chain);

/* The chain of inlined functions is open in the frame on top, which there is, from t on. */
static inline void thread_set_inlined(struct thread *th, int64_t t, uint32_t chain)
{
	if (callstack_top(&th->stack)->inlined != chain)
		thread_draw_inlined(th, t, chain);
}

/* Enters a frame. Its `hidden` is set; what was inlined into it (`inlined`) is drawn again. */
void thread_enter(struct thread *th, int64_t t, struct frame *frame);

/* Enters dst by a branch at from (0: not a branch). */
void thread_call(struct thread *th, int64_t t, const struct location *dst, uint64_t from);

/* Enters a frame of our own making, such as "[syscall]", because tracing stops at from. */
void thread_call_synthetic(struct thread *th, int64_t t, uint32_t name, enum frame_kind kind,
			   uint64_t from);

/* A frame of dst's function, of which the call was not seen, on the empty current stack. */
void thread_infer(struct thread *th, int64_t t, const struct location *dst);

/*
 * Leaves the top frame. On an empty stack the function left is an unknown one. Returns the name of
 * the frame left, INTERN_NONE when it has none or there was no frame.
 */
uint32_t thread_pop(struct thread *th, int64_t t);

/* Leaves all frames of the current stack. */
void thread_clear(struct thread *th, int64_t t);

/*
 * The current stack is interrupted: a new one, created at t, in front of it. addr is where control
 * goes: when that is in user code, and no frame is known, the new stack may be as old as the trace.
 */
void thread_park(struct thread *th, int64_t t, uint64_t addr);

/* Goes back to the stack that was interrupted; the current one is empty. False: there is none. */
bool thread_unpark(struct thread *th);

/*
 * Another stack in place of the current one, which is empty: created at t when addr is in the
 * kernel, else as early as it can have been.
 */
void thread_new_stack(struct thread *th, uint64_t addr, int64_t t);

/*
 * The end of a part of the trace (an error, the end of the data): leaves all frames of all stacks
 * at t, or at the timestamp of what waits when that is later, and writes all. Nothing is known
 * from there on.
 */
void thread_end(struct thread *th, int64_t t);

/*
 * A data file begins, after thread_end; its first branch or sample is at t. first: it is the first
 * one, and had records before (a frequency, say).
 */
void thread_new_file(struct thread *th, int64_t t, bool first);

#endif
