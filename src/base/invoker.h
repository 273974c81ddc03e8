/* SPDX-License-Identifier: MIT */
/* invoker: the user who had sudo(8) start us as root. What we leave behind is theirs. */
#ifndef MT_BASE_INVOKER_H
#define MT_BASE_INVOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct invoker {
	uid_t uid;
	gid_t gid;
};

/*
 * Who that is, by SUDO_UID and SUDO_GID. False: we are not root, or were not started by sudo, or by
 * root. Both variables must be whole decimal numbers.
 */
bool invoker_find(struct invoker *invoker);

/*
 * Gives the file or directory, which must be one that we made, to the invoker, if there is one and
 * it is root's. When that cannot be, as on file systems without owners, it stays as it is.
 */
void invoker_give(int fd);

#endif
