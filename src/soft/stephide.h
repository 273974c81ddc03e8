/* SPDX-License-Identifier: MIT */
/* stephide: what stepping changes in a program, kept from it: its CPUs, and that SIGTRAP is open.
 */
#ifndef MT_SOFT_STEPHIDE_H
#define MT_SOFT_STEPHIDE_H

#include "soft/steptask.h"

#include <stdint.h>

/* A system call (task->regs, at its begin) has returned: corrects what it says, or has set. */
void stephide_take(const struct stepset *set, struct steptask *task, uint64_t result);

#endif
