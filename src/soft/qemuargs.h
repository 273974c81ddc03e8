/* SPDX-License-Identifier: MIT */
/*
 * qemuargs: the command line that runs a program under QEMU with our plugin, and the plugin's
 * arguments, written and read. Paths may hold any byte: QEMU takes ",," for a comma in the value of
 * an argument, and so are they written.
 */
#ifndef MT_SOFT_QEMUARGS_H
#define MT_SOFT_QEMUARGS_H

#include "base/err.h"
#include "soft/recorder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemuargs {
	const char *out;     /* perf.data: file of the first image, the next ones' is OUT.N */
	const char *log;     /* tests: as of recorder_config; NULL: none; LOG.N */
	const char *control; /* a unix socket to connect to; NULL: none */
	const char *comm;    /* name of the first thread; NULL: "guest" */
	enum recorder_time time;
	size_t ring;         /* bytes for each thread; 0: all is kept */
	bool trigger;        /* there is one: */
	uint64_t trigger_at; /* address, or offset in this file: */
	const char *trigger_file;
	bool multi;         /* each hit of the trigger counts, not only the first */
	unsigned int image; /* how many programs the process has executed before */
};

/*
 * argv for QEMU at path `qemu`, with the plugin, to run `program` (a path) with argv. Ends in NULL.
 * To be freed with qemuargs_free.
 */
char **qemuargs_command(const struct qemuargs *args, const char *qemu, const char *plugin,
			const char *program, char *const argv[]) __attribute__((returns_nonnull));
void qemuargs_free(char **command);

/*
 * Reads the arguments as QEMU gives them to the plugin: n texts "NAME=VALUE", which are needed as
 * long as *args is. -1 with err.
 */
int qemuargs_read(struct qemuargs *args, char *const texts[], size_t n, struct err *err);

/* The name of the file of an image: `path`, with ".N" from the second on. Free with free(). */
char *qemuargs_of_image(const char *path, unsigned int image) __attribute__((returns_nonnull));

#endif
