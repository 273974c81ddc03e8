/* SPDX-License-Identifier: MIT */
/* installed: files that come with our own executable. */
#ifndef MT_BASE_INSTALLED_H
#define MT_BASE_INSTALLED_H

#include "base/err.h"

/*
 * The path of a file by its name: beside our executable, as `make` leaves it, or else in
 * ../lib/magic-trace/, as `make install` does. It holds a slash; free with free(). NULL with err:
 * it is in neither.
 */
char *installed_find(const char *name, struct err *err);

#endif
