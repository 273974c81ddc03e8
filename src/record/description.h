/* SPDX-License-Identifier: MIT */
/* description: recording.json, read into the fields of struct recording that it sets. */
#ifndef MT_RECORD_DESCRIPTION_H
#define MT_RECORD_DESCRIPTION_H

#include "base/err.h"
#include "record/recording.h"

/*
 * Reads the file at path. When there is none, nothing happens. When it is broken, warning says how
 * and where, and rec stays as it was. docs/recording.md says what is accepted.
 */
void description_read(struct recording *rec, const char *path, struct err *warning);

/* Frees what description_read allocated. */
void description_free(struct recording *rec);

#endif
