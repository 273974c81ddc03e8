/* SPDX-License-Identifier: MIT */
/* describe: the text of recording.json, from the fields of struct recording that it tells. */
#ifndef MT_RECORD_DESCRIBE_H
#define MT_RECORD_DESCRIBE_H

#include "base/err.h"
#include "record/recording.h"

#include <stddef.h>

/*
 * The text, *n bytes, for free(). description_parse takes it and gets the same. Only when it would
 * be longer than that takes, names of hits, processes and threads are cut, first to 1024 bytes,
 * then to 64. NULL with err: a mode, scope, call-graph mode or build id that is none (a mistake of
 * ours), or it is too long even so.
 */
char *describe(const struct recording *rec, size_t *n, struct err *err);

#endif
