/* SPDX-License-Identifier: MIT */
/*
 * stepcalm: what has happened to the threads once nothing is on its way any more, in an order that
 * does not hang on how fast the kernel is. So the same threads are ready each time that a program
 * does the same, and the recorder is told the same.
 */
#ifndef MT_SOFT_STEPCALM_H
#define MT_SOFT_STEPCALM_H

#include "soft/steptask.h"

#include <stdbool.h>

/*
 * Whether a thread that was resumed waits for something in the kernel (/proc/TID/stat), so that it
 * may not stop until another one does something. What is not interruptible is over soon, but for
 * vfork(2), which waits for the child. That a thread has ended is told at once, but of the first
 * one only when it is the last.
 */
bool stepcalm_is_asleep(const struct stepset *set, const struct steptask *task);

/*
 * Looks once at what has happened, and keeps it back. Whether all is calm: each thread has stopped,
 * or is asleep, and so it was when we looked before. To be called until then.
 */
bool stepcalm_look(struct stepset *set);

/* Takes what is kept back (stepstop_take): stops before ends, each in the threads' order. */
void stepcalm_take(struct stepset *set);

#endif
