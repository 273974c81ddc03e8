/* SPDX-License-Identifier: MIT */
/* description: recording.json, read into the fields of struct recording that it sets. */
#ifndef MT_RECORD_DESCRIPTION_H
#define MT_RECORD_DESCRIPTION_H

#include "base/err.h"
#include "record/recording.h"

#include <stddef.h>
#include <stdint.h>

struct recording_process {
	int32_t pid;
	size_t at;          /* in the file's list */
	char *command_line; /* owned; NULL: not known */
};

struct recording_thread {
	int32_t pid, tid;
	size_t at;  /* in the file's list */
	char *comm; /* owned; NULL: not known */
};

/*
 * Reads the file at path. When there is none, nothing happens. When it is broken, warning says how
 * and where, and rec stays as it was. docs/recording.md says what is accepted. Processes are sorted
 * by pid, threads by pid and tid; of equal ones the first of the file is the first.
 */
void description_read(struct recording *rec, const char *path, struct err *warning);

/* Frees what description_read allocated. */
void description_free(struct recording *rec);

#endif
