/* SPDX-License-Identifier: MIT */
/* refusal: why a process cannot be traced, and what helps. */
#ifndef MT_SOFT_REFUSAL_H
#define MT_SOFT_REFUSAL_H

#include "base/err.h"

#include <sys/types.h>

/* Fills err with why ptrace(2) refused thread tid with errno `why`. Returns -1. */
int refusal(pid_t tid, int why, struct err *err);

/* As with EPERM, of a process that is traced already by who will let go of it. */
int refusal_permission(pid_t pid, struct err *err);

/* Thread tid of it does not stop when it is told to. */
int refusal_stop(pid_t pid, pid_t tid, struct err *err);

/* It executes instructions that are not those of 64-bit x86. */
int refusal_machine(pid_t pid, struct err *err);

#endif
