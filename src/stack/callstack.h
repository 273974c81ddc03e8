/* SPDX-License-Identifier: MIT */
/*
 * callstack: the frames of one stack of control, with the stacks that are parked below it.
 *
 * An interrupt or a system call runs on a fresh stack while the interrupted one waits; so does
 * OCaml code under an exception handler. Such levels lie in one array, the current one on top: to
 * park costs no copy. A whole callstack is one value, so that a thread can have several and switch.
 */
#ifndef MT_STACK_CALLSTACK_H
#define MT_STACK_CALLSTACK_H

#include "event/event.h"

#include <stdbool.h>
#include <stdint.h>

/* How a frame came to be. It says where control is expected to come back to: frame_expects. */
enum frame_kind {
	FRAME_CALL,      /* by a call, or it was not seen how (`from` is 0 then) */
	FRAME_INTERRUPT, /* kernel code, by a system call or an interrupt */
	FRAME_STOPPED,   /* one of our own: tracing stopped at `from`, "[untraced]" */
	FRAME_SYSCALL,   /* likewise by a system call, "[syscall]" */
	FRAME_RETURNED,  /* likewise by a return, "[returned]"; from where says nothing then */
	FRAME_SIGNAL,    /* a signal's handler, called by the kernel; `from`: what it interrupted */
	FRAME_SIGRETURN, /* what that handler returned to, which goes back to `from` */
	FRAME_BASE,      /* the first of another stack, in front of the frame that switched to it */
	FRAME_INLINED,   /* on no stack: a span within a frame, see inlining.h; `from`: its depth */
};

struct frame {
	uint64_t addr;  /* where it was entered */
	uint64_t start; /* its function's first address, or addr when that is not known */
	uint64_t
		from; /* the call or interruption that entered it, a tail call's too; 0: not seen */
	uint64_t was; /* the start of the function that this one replaced by a jump, or 0 */
	uint32_t sym; /* as in struct location */
	uint32_t dso;
	uint32_t left; /* FRAME_BASE: when the stack below it was left, see struct fibers; else the
			  number of the arrow from it, while its stack is being left; or 0 */
	uint32_t inlined; /* the chain of functions inlined into it that are open, see inlines.h */
	uint16_t inlined_shown; /* so many of them, the outermost ones, are in the trace */
	uint8_t kind;           /* enum frame_kind */
	bool hidden;            /* left out of the trace by the depth cap */
	bool again;    /* begins anew with its stack, at the same time as the frame on it */
	bool inferred; /* found when control came back to it */
	bool copy;     /* stands for the frame below the level, and is never written */
};

/* One stack: the current one, or one that is parked. */
struct level {
	uint32_t base;      /* index of its outermost frame */
	uint32_t max_shown; /* most frames shown at a time, of all levels, since it exists */
	int64_t created;    /* frames whose call was not seen are said to begin here, ns */
	int64_t base_time;  /* the earliest time that `created` can be given, ns */
	bool used;          /* a span has ended on it since `created` */
	bool used_before;   /* a span has ended on it between base_time and `created` */
	bool bare;          /* nothing lies below it: it began as early as the part of the trace */
	uint8_t replaced;   /* so many stacks were there before, from base_time on; one is newer */
};

struct callstack {
	struct frame *frames;
	uint32_t n, cap;
	struct level *levels; /* at least one: levels[n_levels - 1] is the current one */
	uint32_t n_levels, cap_levels;
	uint32_t shown; /* frames of all levels that are neither hidden nor copies, and what is
			   inlined into them */
};

/* More than any program nests; what grows beyond is an error of the trace (see callstack_full). */
#define CALLSTACK_MAX_FRAMES (1u << 22)
#define CALLSTACK_MAX_LEVELS (1u << 16)

/* One empty level. Free with callstack_fini. */
void callstack_init(struct callstack *cs, int64_t created);
void callstack_fini(struct callstack *cs);

/* Back to one empty level. Memory is kept. */
void callstack_reset(struct callstack *cs, int64_t created);

static inline struct level *callstack_level(struct callstack *cs)
{
	return &cs->levels[cs->n_levels - 1];
}

/* Frames of the current level. */
static inline uint32_t callstack_depth(const struct callstack *cs)
{
	return cs->n - cs->levels[cs->n_levels - 1].base;
}

/* The innermost frame of the current level, or NULL. Valid until the next push. */
static inline struct frame *callstack_top(struct callstack *cs)
{
	return callstack_depth(cs) ? &cs->frames[cs->n - 1] : NULL;
}

/* Frame i of the current level, 0 the outermost; i is below its depth. */
static inline const struct frame *callstack_frame(const struct callstack *cs, uint32_t i)
{
	return &cs->frames[cs->levels[cs->n_levels - 1].base + i];
}

/* Whether another frame or level would be beyond all reason. */
static inline bool callstack_full(const struct callstack *cs)
{
	return cs->n >= CALLSTACK_MAX_FRAMES || cs->n_levels >= CALLSTACK_MAX_LEVELS;
}

/*
 * Whether control that lands at addr comes back from the frame: behind the call that entered it (a
 * call has at most 15 bytes), or where it interrupted what runs below it, a system call included.
 */
static inline bool frame_expects(const struct frame *frame, uint64_t addr)
{
	return addr - frame->from - (frame->kind == FRAME_CALL) < 15 && frame->from;
}

/* Whether the frame is one of our own, in which nothing runs. */
static inline bool frame_synthetic(const struct frame *frame)
{
	return frame->kind >= FRAME_STOPPED && frame->kind <= FRAME_RETURNED;
}

/* Puts a frame on the current level, and counts it in shown. Must not be full. */
void callstack_push(struct callstack *cs, const struct frame *frame);

/* Takes the innermost frame off the current level, which has one. */
struct frame callstack_pop(struct callstack *cs);

/* Takes the outermost frame off the current level, which has one. */
void callstack_remove_outermost(struct callstack *cs);

/* Takes frame i of all, which is on a level below the current one, off its level. */
struct frame callstack_remove_below(struct callstack *cs, uint32_t i);

/* Parks the current level: a new, empty one is current, created at t. Must not be full. */
void callstack_park(struct callstack *cs, int64_t t);

/*
 * Drops the current level, which has no frames, and goes back to the one parked below: true. False
 * when there is none: nothing happens.
 */
bool callstack_unpark(struct callstack *cs);

/* When the newest level that has frames was created; INT64_MIN: there are no frames. */
int64_t callstack_newest(const struct callstack *cs);

/* The frame that a location stands for: FRAME_CALL. from: the address of the branch into it. */
struct frame frame_of(const struct location *loc, uint64_t from);

/* Whether both are in one function: the same name, or the same place when there is no name. */
bool frame_same_symbol(const struct frame *frame, const struct location *loc);

/*
 * Whether the frame's function holds loc, other than at its first byte: control comes there when a
 * frame is left in another way than by a return (a landing pad, a longjmp). A part of the function
 * that lies elsewhere (".cold") has the function's name.
 */
bool frame_holds(const struct frame *frame, const struct location *loc);

/* Whether both are in the function that begins at one address (the place, without a symbol). */
bool frame_same_start(const struct frame *frame, const struct location *loc);

#endif
