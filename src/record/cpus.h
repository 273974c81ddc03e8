/* SPDX-License-Identifier: MIT */
/* cpus: which CPUs are there. */
#ifndef MT_RECORD_CPUS_H
#define MT_RECORD_CPUS_H

#include <stddef.h>

/*
 * The numbers in text, a list as "0-3,5,8-11" (Documentation/admin-guide/cputopology.rst of the
 * kernel), at most max of them into cpus. How many; 0 when it is no such list.
 */
size_t cpus_parse(const char *text, int *cpus, size_t max);

/* The CPUs that are online, at most max of them, by number. How many; at least one. */
size_t cpus_online(int *cpus, size_t max);

#endif
