/* SPDX-License-Identifier: MIT */
/* position: how far perf has read its data file, seen from outside. */
#ifndef MT_PERF_POSITION_H
#define MT_PERF_POSITION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * How many bytes of the file data are in the memory of process pid: perf maps all of its data file
 * (on machines of 64 bits: tools/perf/util/session.c of the kernel) and goes through it from front
 * to end, so that is what it has read. True and *bytes; false when it cannot be told.
 *
 * Reads /proc/PID/smaps (proc(5)), which takes some milliseconds: to be asked about once a second.
 */
bool position_of(pid_t pid, const char *data, uint64_t *bytes);

#endif
