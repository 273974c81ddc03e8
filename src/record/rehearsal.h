/* SPDX-License-Identifier: MIT */
/*
 * rehearsal: a program as it will be mapped, to look for a trigger in it before it is run under
 * QEMU, where the addresses are others: a process that is held at its first instruction, and
 * never executes one of the program's own.
 */
#ifndef MT_RECORD_REHEARSAL_H
#define MT_RECORD_REHEARSAL_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

struct rehearsal;

/*
 * Starts argv (borrowed until rehearsal_end) as target_start does, with /dev/null for its standard
 * files. -1 with err.
 */
int rehearsal_begin(char *const argv[], struct rehearsal **rehearsal, struct err *err);

/* The process, to look into. Another one after rehearsal_load. */
pid_t rehearsal_pid(const struct rehearsal *rehearsal);

/*
 * Has its libraries mapped too: glibc's dynamic linker maps them, and nothing else, when it is told
 * to list them (LD_TRACE_LOADED_OBJECTS, ld.so(8)); it is held before it ends. -1 with err: it has
 * another dynamic linker, or none, is a setuid program, or a library is missing. Then there may be
 * no process to look into any more.
 */
int rehearsal_load(struct rehearsal *rehearsal, struct err *err);

/* The file that lies at an address of it, and at which offset. *file is the caller's to free. */
int rehearsal_place(const struct rehearsal *rehearsal, uint64_t address, char **file,
		    uint64_t *offset, struct err *err);

/* Ends the process, and frees it. */
void rehearsal_end(struct rehearsal *rehearsal);

#endif
