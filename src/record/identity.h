/* SPDX-License-Identifier: MIT */
/* identity: which program, processes and threads a recording is of, by their names. */
#ifndef MT_RECORD_IDENTITY_H
#define MT_RECORD_IDENTITY_H

#include "record/loopstate.h"

/* Notes the processes that are recorded, and their threads, as they are now. */
void identity_processes(const struct loop *loop);

/* Notes which program the first process runs; what was known stays when it has ended. */
void identity_program(const struct loop *loop);

#endif
