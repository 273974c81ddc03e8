/* SPDX-License-Identifier: MIT */
/* processes: those that run on this machine, for the user to choose one. */
#ifndef MT_CLI_PROCESSES_H
#define MT_CLI_PROCESSES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	uid_t uid;
	uint64_t cpu_seconds; /* used so far */
	char *command;        /* owned: its arguments, or "[comm]" when it has none */
};

struct processes {
	struct process *list; /* by pid */
	size_t n;
};

/*
 * Reads the directory proc ("/proc"): no zombies, not ourselves, the kernel's threads only when
 * asked for. 0, or -1 with err; free with processes_free.
 */
int processes_read(const char *proc, bool kernel_threads, struct processes *processes,
		   struct err *err);
void processes_free(struct processes *processes);

/* What stands above the columns, and a line for each process, in printable characters. */
const char *processes_header(void) __attribute__((returns_nonnull));
void processes_write(const struct processes *processes, FILE *to);

/* Lets the user choose one. 0 and its pid, or -1 with err, as choose says. */
int processes_choose(bool kernel_threads, pid_t *pid, struct err *err);

#endif
