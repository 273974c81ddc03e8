/* SPDX-License-Identifier: MIT */
/*
 * loss: frames over a stretch of the trace that was lost (an overflow, a buffer that was full).
 *
 * What was on the stack before may still be there behind the gap. So the stack is set aside (a
 * level below the current one), and what follows runs on a new one, the frames of which are found
 * as control comes back to them, as where a trace begins. Each found frame is compared with those
 * from before (runs.h). When it is settled which they are, these frames were there all the time:
 * they go on, and are drawn once, as are those below them; the ones above are ended where the gap
 * is. Without a frame that was found again all are ended there: so nothing is drawn that may not
 * have been.
 *
 * It is settled as late as can be, since what is found further out may show that an earlier guess
 * was wrong; but at once for functions that were there only once, where one has returned to the
 * other as expected, if nothing unwinds the stack.
 */
#ifndef MT_STACK_LOSS_H
#define MT_STACK_LOSS_H

#include "event/event.h"
#include "stack/thread.h"

#include <stdbool.h>
#include <stdint.h>

/* A stretch was lost, up to t. Where frames cannot go on (the kernel is traced, say): thread_end.
 */
void loss_begin(struct thread *th, int64_t t);

/*
 * perf says that the kernel has lost data before it prints what was recorded just before that: the
 * gap lasts until tracing starts again, or until a branch of a later time than t.
 */
void loss_announce(struct thread *th, int64_t t);

/* A branch comes next, at t; see above. start: it starts tracing. */
static inline void loss_follow(struct thread *th, int64_t t, bool start)
{
	if (th->lost_due && (start || t > th->lost_time))
		loss_begin(th, t);
}

/*
 * After loss_begin (th->lost), control is at dst, on an empty stack: its function's frame is found.
 * Every other frame that is found then has to be told so. returned: control came by a return.
 */
void loss_find(struct thread *th, int64_t t, const struct location *dst, bool returned);

/*
 * Likewise when it came by unwinding (an exception, a longjmp), from what was found last. The
 * frames that were between the two before the gap have been there until now, and are found as well.
 */
void loss_unwind(struct thread *th, int64_t t, const struct location *dst);

/*
 * If th->lost: frames from before the gap go on if one of them is the frame that was found last;
 * else they have ended. Either way nothing is lost any more.
 */
void loss_settle(struct thread *th);

/* Likewise, but only if some go on, and it is sure which. */
void loss_settle_found(struct thread *th);

/* If th->lost: the frames from before the gap are forgotten, without an end. */
void loss_forget(struct thread *th);

#endif
