/* SPDX-License-Identifier: MIT */
/* maps: what files a process has mapped where (base/procmaps.h), and those files themselves. */
#ifndef MT_SYMBOL_MAPS_H
#define MT_SYMBOL_MAPS_H

#include "base/err.h"
#include "base/procmaps.h"
#include "base/str.h"

#include <stdbool.h>
#include <sys/types.h>

/*
 * Reads those of process pid. 0 and *maps, to be freed with procmaps_fini; or -1 with err (and a
 * hint): no such process, it has ended, it is a thread of the kernel, no permission.
 */
int maps_read(pid_t pid, struct procmaps *maps, struct err *err);

/* Whether two mappings are of one file. */
bool mapping_same_file(const struct mapping *a, const struct mapping *b);

/* The path without the " (deleted)" that may be behind it. */
struct str mapping_path(const struct mapping *mapping);

/*
 * Opens the very file that the process has mapped, be it deleted, replaced by another, or of a
 * mount namespace or root directory that is not ours: through /proc/PID/map_files (which only root,
 * CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE may), /proc/PID/exe, our own file of that name, and
 * /proc/PID/root, whichever is the same inode. The descriptor, or -1 with err. *name: the path that
 * leads to it by name, which the files beside it can be looked for with; NULL: none does. The
 * caller frees it.
 */
int maps_open(pid_t pid, const struct mapping *mapping, char **name, struct err *err);

#endif
