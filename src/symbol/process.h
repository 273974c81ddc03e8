/* SPDX-License-Identifier: MIT */
/* process: the program and the libraries that a running process has mapped, as ELF files. */
#ifndef MT_SYMBOL_PROCESS_H
#define MT_SYMBOL_PROCESS_H

#include "base/err.h"
#include "symbol/elffile.h"
#include "symbol/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that has been mapped to be executed. */
struct image {
	const struct mapping *mapping; /* the first of it */
	bool is_program;
	/* the rest is private */
	bool tried;
	struct elffile *file;
	struct err err; /* why there is no file */
};

struct process {
	pid_t pid;
	struct procmaps maps;
	struct image *images; /* the program first, then by address */
	size_t n;
};

/* 0, to be ended with process_close; or -1 with err as maps_read. */
int process_open(pid_t pid, struct process *process, struct err *err);
void process_close(struct process *process);

/* The ELF file of an image, opened when it is first asked for. NULL with err: it cannot be read. */
struct elffile *process_file(struct process *process, struct image *image, struct err *err);

/* A new descriptor of the image's file, and *name as maps_open; -1 with err. */
int process_reopen(const struct process *process, const struct image *image, char **name,
		   struct err *err);

/*
 * Where a value of the image's file, which has been opened, is in the process: how many places were
 * written to addresses (at most max, which is at least 1). More than one when a library is loaded
 * several times; none when its code is not mapped.
 */
size_t process_addresses(const struct process *process, const struct image *image, uint64_t value,
			 uint64_t *addresses, size_t max);

/*
 * Whether the image is meant by a library's name: its path when it has a slash, else its file name,
 * which may lack what follows ".so".
 */
bool image_is_named(const struct image *image, struct str name);

#endif
