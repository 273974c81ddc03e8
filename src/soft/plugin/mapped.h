/* SPDX-License-Identifier: MIT */
/* mapped: what lies where the program has its code, as far as it was looked up. */
#ifndef MT_SOFT_PLUGIN_MAPPED_H
#define MT_SOFT_PLUGIN_MAPPED_H

#include "base/err.h"
#include "soft/perfdata.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address: of the program, or, with an inode, the offset in a file that it maps. */
struct mapped_trigger {
	bool set;
	uint64_t at;
	uint64_t inode, device; /* as proc_pid_maps(5) has them */
};

struct mapped_range {
	uint64_t start, end; /* addresses of the program */
	uint64_t trigger;    /* is among them if it lies there, else 0 */
};

struct mapped {
	struct mapped_range *all; /* in no order */
	size_t n, room;
	struct mapped_trigger trigger;
};

/*
 * Sets the trigger: what lies at offset `at` of the file; with file NULL, at the address `at`. -1
 * with err: the file cannot be mapped.
 */
int mapped_set_trigger(struct mapped *m, const char *file, uint64_t at, struct err *err);

/* The range with an address that was looked up; NULL: not yet. */
const struct mapped_range *mapped_find(const struct mapped *m, uint64_t address);

/*
 * Looks up an address of the program, which lies at base in our own process. *mapping is what is
 * there, its path to be freed; NULL: nothing, *mapping is unchanged.
 */
const struct mapped_range *mapped_look_up(struct mapped *m, uint64_t address, uint64_t base,
					  struct perfdata_mapping *mapping);

/* Forgets what has a byte of [start, start + size). */
void mapped_forget(struct mapped *m, uint64_t start, uint64_t size);

#endif
