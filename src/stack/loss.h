/* SPDX-License-Identifier: MIT */
/*
 * loss: frames over a stretch of the trace that was lost (an overflow, a buffer that was full).
 *
 * What was on the stack before may still be there behind the gap. So the stack is set aside (a
 * level below the current one), and what follows runs on a new one. When control comes back to one
 * of its frames, that frame and those below it were there all the time, and go on; the ones above
 * it are ended where the gap is. Those that are never confirmed are ended there as well: so nothing
 * is drawn that may not have been.
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
 * After loss_begin (th->lost), control is at dst, on an empty stack. When a frame from before the
 * gap fits, and no other may be meant, it and those below it are the current stack again: true.
 * returned: control came by a return, so that also the frame above the one it landed in may be what
 * returned.
 */
bool loss_find(struct thread *th, const struct location *dst, bool returned);

#endif
