/* SPDX-License-Identifier: MIT */
/* stepaim: the instructions that are waited for, each in a process of its own. */
#ifndef MT_SOFT_STEPAIM_H
#define MT_SOFT_STEPAIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct stepaim {
	pid_t pid;
	uint64_t address;
	bool first; /* in its first thread only */
};

struct stepaims {
	struct stepaim *all; /* owned */
	size_t n, room;
};

/* Adds one; one that is there is not added again. */
void stepaims_add(struct stepaims *aims, const struct stepaim *aim);

/* Whether thread tid of process pid is at one. */
bool stepaims_has(const struct stepaims *aims, pid_t pid, pid_t tid, uint64_t address);

/* A process is made, with the memory of its parent: it has what that one has. */
void stepaims_fork(struct stepaims *aims, pid_t parent, pid_t child);

/* A process has other memory now, or has ended: it has none. Whether it had. */
bool stepaims_drop(struct stepaims *aims, pid_t pid);

void stepaims_fini(struct stepaims *aims);

#endif
