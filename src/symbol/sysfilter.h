/* SPDX-License-Identifier: MIT */
/* sysfilter: the system calls that a process may make from now on (seccomp(2)). */
#ifndef MT_SYMBOL_SYSFILTER_H
#define MT_SYMBOL_SYSFILTER_H

#include <stdbool.h>

/*
 * Only those that it takes to read files: none opens a file to be written, makes a socket or a
 * process, or reaches another process. All others fail with EPERM, so that libraries can go on.
 * To be called when the process cannot gain privileges any more (PR_SET_NO_NEW_PRIVS). False: the
 * kernel, or this machine, has no such filter; nothing is changed then.
 */
bool sysfilter_reading(void);

/* All but those that start a program or reach into another process or the kernel. Likewise. */
bool sysfilter_fetching(void);

#endif
