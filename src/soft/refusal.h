/* SPDX-License-Identifier: MIT */
/* refusal: why a process cannot be traced. */
#ifndef MT_SOFT_REFUSAL_H
#define MT_SOFT_REFUSAL_H

#include "base/err.h"

#include <sys/types.h>

/* Fills err with why ptrace(2) refused thread tid with errno `why`. Returns -1. */
int refusal(pid_t tid, int why, struct err *err);

#endif
