/* SPDX-License-Identifier: MIT */
/*
 * jitcopy: keeps with a recording what JIT compilers of the traced processes have told perf of
 * their functions: /tmp/perf-PID.map, as the process sees /tmp and its own pid (the kernel's
 * tools/perf/Documentation/jit-interface.txt).
 */
#ifndef MT_RECORD_JITCOPY_H
#define MT_RECORD_JITCOPY_H

#include <stdint.h>

/*
 * Copies the map of process pid, if there is one, to entry_map_name(pid) in the directory. Taken is
 * only a regular file of the process's user or of root (of ours or of root when the process has
 * ended), found without leaving what the process sees as its root, and no more of it than
 * PERFMAP_BYTES_MAX. What fails is as if there was none: the trace then lacks names.
 */
void jitcopy(int directory, int32_t pid);

#endif
