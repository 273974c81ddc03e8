/* SPDX-License-Identifier: MIT */
/* leftover: temporary directories that nobody has removed: we were killed, and so was the guard. */
#ifndef MT_RECORD_LEFTOVER_H
#define MT_RECORD_LEFTOVER_H

#include <stddef.h>

/*
 * Directories beside `own`, the temporary one of this recording, that have such a name, are of this
 * user, and that nobody holds the lock of; none that is younger than 10 s, since it may be about to
 * be locked. How many; *first is the path of one, for free(), or NULL.
 */
size_t leftover_find(const char *own, char **first);

#endif
