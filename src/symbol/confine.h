/* SPDX-License-Identifier: MIT */
/* confine: takes from a process that reads hostile files what it could do harm with. */
#ifndef MT_SYMBOL_CONFINE_H
#define MT_SYMBOL_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

/* Memory that such a process may take: 500 MB of debug info take 2 GB. */
#define CONFINE_MEMORY ((uint64_t)8 << 30)

/*
 * In a process that was just forked: closes all files but the two, whose numbers change; 0, 1 and 2
 * are /dev/null then. Signals are as a new program has them. Memory is limited to CONFINE_MEMORY.
 * There is no core file, no file is written, no process is made, and no privilege can be gained; of
 * those it has it keeps those for reading files (CAP_DAC_READ_SEARCH, or CAP_DAC_OVERRIDE when it
 * has not got that; CAP_SYS_PTRACE: what lies below /proc/PID/root). System calls are filtered as
 * far as the kernel can (sysfilter.h). With `fetch` it may still write files and make threads and
 * sockets, as elfutils does to ask servers of debug info. Ends the process when its files cannot be
 * closed.
 */
void confine(int *socket, int *fd, bool fetch);

/* From now on, no more CPU time than ms until the next call, or SIGPROF ends the process. */
void confine_cpu(int ms);

#endif
