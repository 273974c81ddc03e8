/* SPDX-License-Identifier: MIT */
/* planted: what other users put where everybody may, as into /tmp, for us to fall over. */
#ifndef MT_BASE_PLANTED_H
#define MT_BASE_PLANTED_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether path is in a directory that everybody may write to, and what has that name, which belongs
 * to `owner`, is neither ours, nor of the directory's owner, nor of the user who had sudo start us.
 * This is the rule of fs.protected_symlinks and fs.protected_fifos (proc_sys_fs(5)), which may be
 * off. True as well when the directory cannot be looked at.
 */
bool planted(const char *path, uid_t owner);

#endif
