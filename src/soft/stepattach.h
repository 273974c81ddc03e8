/* SPDX-License-Identifier: MIT */
/* stepattach: becoming the tracer of a process, and letting go of it again. */
#ifndef MT_SOFT_STEPATTACH_H
#define MT_SOFT_STEPATTACH_H

#include "base/err.h"
#include "soft/steptask.h"

#include <stdbool.h>

/*
 * Seizes the threads of set->pid, stops them, tells the recorder of them, and pins all to one CPU.
 * If another tracer has it and it is said to be held by it, set->waiting is set instead: the
 * process stops by itself when that one lets go of it. -1 with err: it is as it was.
 */
int stepattach_begin(struct stepset *set, bool held, struct err *err);

/* When set->waiting: whether that is over, since it is ours now, or has ended; -1 with err. */
int stepattach_try(struct stepset *set, struct err *err);

/* Lets go of all; set has none then. */
void stepattach_end(struct stepset *set);

#endif
