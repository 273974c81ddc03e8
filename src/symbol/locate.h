/* SPDX-License-Identifier: MIT */
/*
 * locate: where a function is in a running process.
 *
 * Files are read through /proc/PID/map_files, exe and root, so that those that were deleted or
 * replaced, and those of other mount namespaces, are the ones the process runs.
 */
#ifndef MT_SYMBOL_LOCATE_H
#define MT_SYMBOL_LOCATE_H

#include "base/err.h"
#include "symbol/selection.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct located {
	uint64_t address; /* in the process */
	char *symbol; /* the function's name, or what was given for a line or an address; owned */
	char *file;   /* the program or library that it is in, as /proc/PID/maps has it; owned */
};

enum locate_result {
	LOCATE_FOUND,
	LOCATE_ABSENT, /* not in what is mapped now; a library that is loaded later may have it */
	LOCATE_FAILED, /* ambiguous, not executable, the process cannot be looked at, ... */
};

/*
 * Looks for the selection (not SELECTION_CHOOSE) in what process pid has mapped: the program first,
 * then its libraries; a library that is named is looked for by its file name, with or without what
 * follows ".so". In LOCATE_FOUND *located is to be freed with located_fini; else err says why,
 * names the nearest functions ("did you mean"), lists the places when it is ambiguous, and says
 * which file could not be read.
 */
enum locate_result locate(const struct selection *selection, pid_t pid, struct located *located,
			  struct err *err);
void located_fini(struct located *located);

/*
 * Calls each for every function of the program of process pid, by address order, each name once;
 * ends early when it returns false. -1 with err when the program's symbols cannot be read.
 */
int locate_functions(pid_t pid, bool (*each)(void *ctx, const char *name), void *ctx,
		     struct err *err);

/*
 * The process's entry point (AT_ENTRY of /proc/PID/auxv), where the dynamic linker hands over to
 * the program with all libraries mapped. 0, or -1 with err.
 */
int locate_entry(pid_t pid, uint64_t *address, struct err *err);

/* Whether the program of process pid has a dynamic linker (PT_INTERP). */
bool locate_is_dynamic(pid_t pid);

#endif
