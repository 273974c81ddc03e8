/* SPDX-License-Identifier: MIT */
/* confine: takes from a process that reads hostile files what it could do harm with. */
#ifndef MT_SYMBOL_CONFINE_H
#define MT_SYMBOL_CONFINE_H

#include <stdint.h>

/*
 * Memory that such a process may take: 500 MB of debug info take 2 GB.
 */
#define CONFINE_MEMORY ((uint64_t)8 << 30)

/*
 * In a process that was just forked: closes all files but the two, whose numbers change, and
 * standard error; 0 and 1 are /dev/null then. Signals are as a new program has them. Limits memory
 * to CONFINE_MEMORY and writes no core file. Ends the process when it cannot.
 */
void confine(int *socket, int *fd);

/* From now on, no more CPU time than ms until the next call, or SIGPROF ends the process. */
void confine_cpu(int ms);

#endif
