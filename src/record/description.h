/* SPDX-License-Identifier: MIT */
/* description: recording.json, read into the fields of struct recording that it sets. */
#ifndef MT_RECORD_DESCRIPTION_H
#define MT_RECORD_DESCRIPTION_H

#include "base/err.h"
#include "base/str.h"
#include "record/recording.h"

#include <stddef.h>
#include <stdint.h>

#define DESCRIPTION_VERSION 1
/* Bytes of the file at most: more than any real one has, a few hundred a thread. */
#define DESCRIPTION_MAX (64 << 20)

/* A member of the file that is a string, and of struct recording. */
struct description_string {
	const char *name;
	size_t offset;
	const char *const *words; /* what it can be, ending in NULL; NULL: anything */
};

#define DESCRIPTION_STRINGS 14

/* In the order in which they are written. */
extern const struct description_string description_strings[DESCRIPTION_STRINGS];

/* Where rec has it: owned by rec, NULL when it is not known. */
char **description_field(const struct recording *rec, const struct description_string *string);

/* Whether those of rec are such as they can be: 0, or -1 with err. */
int description_check(const struct recording *rec, struct err *err);

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

/*
 * The same from its text, into a rec of which nothing is read yet. -1 with err when it is broken;
 * rec may then be half filled: description_free.
 */
int description_parse(struct recording *rec, struct str text, struct err *err);

/* Frees what description_read has set, and forgets it. */
void description_free(struct recording *rec);

#endif
