/* SPDX-License-Identifier: MIT */
/*
 * spread: gives times to spans that share one timestamp.
 *
 * PT stamps many branches with the same time. Spans wait here until the time that they have to
 * share is known. There are two rules:
 *
 * By work (spread_branch): the CPU writes a packet when the last of the branches in it was
 * executed, with that one's time. So branches of one timestamp lie between the timestamp before and
 * their own, each as far on as the code that ran up to it is long. Where tracing starts or stops,
 * the timestamp is exact. Begins and ends that may so be wrong by more than SPREAD_SURE say by how
 * much (span.end).
 *
 * By calls, as the OCaml magic-trace does it: they lie between their own timestamp and the next;
 * the calls among them share the time between, and what is no call takes none.
 */
#ifndef MT_STACK_SPREAD_H
#define MT_STACK_SPREAD_H

#include "base/span.h"
#include "base/spool.h"
#include "stack/callstack.h"
#include "stack/hold.h"

#include <stdbool.h>
#include <stdint.h>

/* ns that a time may be wrong by without saying so. */
#define SPREAD_SURE 50

struct spread {
	struct hold hold;
	struct spool list; /* struct span, and marks among them, in order */
	int64_t time;      /* the timestamp of what waits, ns since the base */
	uint32_t track;
	int64_t from;   /* by work: where the time that they share begins */
	uint64_t work;  /* by work: done since then */
	bool by_work;   /* the rule */
	bool fresh;     /* by work: nothing came since the part of the trace began */
	bool exact;     /* by work: what came last happened at `time`, not before */
	uint64_t spans; /* in the list, marks not counted */
	uint64_t calls; /* begins in the list */
};

void spread_init(struct spread *sp, struct outlet *out, struct spool_pool *pool);
void spread_fini(struct spread *sp);

/* A part of the trace begins at t. Nothing waits. */
void spread_part(struct spread *sp, int64_t t);

/* From now on by work. */
void spread_by_work(struct spread *sp);

/* By work: tracing starts at t, with a branch that comes next. */
void spread_start(struct spread *sp, int64_t t);

/* By work: what comes next has another timestamp, t, or is the first of its part. */
void spread_next(struct spread *sp, int64_t t);

/*
 * By work: a branch of timestamp t was executed, after so much work (any unit, not 0) since the one
 * before. What it does to frames is told next.
 */
static inline void spread_branch(struct spread *sp, int64_t t, uint64_t work)
{
	bool first = sp->fresh;

	if (t != sp->time || first)
		spread_next(sp, t);
	/* It is not known what ran before the first one: it has its timestamp. */
	if (!first)
		sp->work += work;
}

/* By work: tracing stops at timestamp t, with the branch that was told last. */
static inline void spread_stop(struct spread *sp)
{
	sp->exact = true;
}

/* A frame was entered at timestamp t. */
void spread_begin(struct spread *sp, int64_t t, const struct frame *frame);

/* A frame was left at timestamp t; below: see SPAN_END. */
void spread_end(struct spread *sp, int64_t t, const struct frame *frame, uint64_t below);

/* An arrow (kind: SPAN_ARROW_FROM or SPAN_ARROW_TO) begins or ends at the innermost frame. */
void spread_arrow(struct spread *sp, int64_t t, enum span_kind kind, uint32_t number);

/*
 * A frame of a stack around that of the hold's group was left at t, which is when that one began,
 * and may lie long before what has been written.
 */
void spread_end_at(struct spread *sp, int64_t t, const struct frame *frame, uint32_t group);

/*
 * Control left, at timestamp t, a function that was never seen: it is drawn as "[unknown]" (name)
 * from created on. encloses: other spans have ended since then. hidden: then it is left out by the
 * depth cap.
 */
void spread_unknown(struct spread *sp, int64_t t, int64_t created, uint32_t name, bool encloses,
		    bool hidden);

/* A frame whose call was not seen has been there since created. */
void spread_infer(struct spread *sp, int64_t created, const struct frame *frame);

/*
 * A frame is there when its drawing begins, at t: it is drawn as an inferred begin at once, inside
 * the frames drawn before it. Nothing must wait.
 */
void spread_redraw(struct spread *sp, int64_t t, const struct frame *frame);

/* A stack begins behind all that waits, or is gone: see hold_open and hold_close. */
void spread_open(struct spread *sp, int64_t created);
void spread_close(struct spread *sp);

/* Of the frames found so far (spread_infer) on the innermost stack the n outermost are not drawn:
 * see hold_drop. */
void spread_drop(struct spread *sp, uint32_t n);

/* Times for all that waits, the last of them at most t; the next timestamp is t. */
void spread_flush(struct spread *sp, int64_t t);

/* Drops what waits, all marks and all groups; the next timestamp is t. */
void spread_reset(struct spread *sp, int64_t t);

#endif
