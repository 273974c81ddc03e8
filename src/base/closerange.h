/* SPDX-License-Identifier: MIT */
/* closerange: close_range(2) of Linux 5.9, and its flag of 5.11, where headers are older. */
#ifndef MT_BASE_CLOSERANGE_H
#define MT_BASE_CLOSERANGE_H

#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

#endif
