/* SPDX-License-Identifier: MIT */
/*
 * workdir: the directory that is recorded into, and the guard: a process that, should we be killed,
 * kills perf and removes what is temporary.
 */
#ifndef MT_RECORD_WORKDIR_H
#define MT_RECORD_WORKDIR_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct workdir;

/*
 * Opens path, creating it (0700) with its parents when it is missing and removing perf.data* and
 * recording.json of an earlier recording (only what perf and we write: names that
 * recording_open would take, and perf.data.old); a data file that is a directory with all in
 * it. With path NULL a new directory under $TMPDIR (/tmp), to be removed at the end. Two recordings
 * at once into one directory are refused (flock on it), and so is one in which other users have a
 * say: where everybody may write, or that another put where everybody may. -1 with err: cannot be
 * made or written, in use by another (with its pid when it is known), less than 1 MiB free.
 */
int workdir_open(const char *path, struct workdir **dir, struct err *err);

const char *workdir_path(const struct workdir *dir); /* absolute */
const char *workdir_data(const struct workdir *dir); /* its perf.data */
int workdir_fd(const struct workdir *dir);           /* stays the workdir's */
bool workdir_is_temporary(const struct workdir *dir);

/* perf runs in the process group pgid, and is to be killed when we are; 0: it has ended. */
void workdir_guard(struct workdir *dir, pid_t pgid);

/* Removes every data file of it but the first n by name. Returns how many were removed. */
size_t workdir_keep_first(struct workdir *dir, size_t n);

/* Bytes free on its file system for us; UINT64_MAX: not known. */
uint64_t workdir_free_bytes(const struct workdir *dir);

/*
 * Removes it when it is temporary, else hands the recording, and the directory if we made it, over
 * to the user who had sudo start us. Ends the guard, and frees dir.
 */
void workdir_close(struct workdir *dir);

#endif
