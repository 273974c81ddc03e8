/* SPDX-License-Identifier: MIT */
/* regular: opens files that others name, never what is no plain file. */
#ifndef MT_SYMBOL_REGULAR_H
#define MT_SYMBOL_REGULAR_H

#include "base/err.h"

#include <sys/stat.h>

/*
 * Opens a regular file to be read and fills *st (which may be NULL). The descriptor, or -1 with
 * err, and errno set: it cannot be opened, or is a directory, a FIFO, a device, ... (EINVAL): those
 * are not even opened, since that alone may wait or have an effect.
 */
int regular_open(const char *path, struct stat *st, struct err *err);

#endif
