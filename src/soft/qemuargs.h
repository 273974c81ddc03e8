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
	const char *out;     /* the perf.data file: see recorder_file_name */
	const char *log;     /* tests: as of recorder_config; NULL: none */
	const char *control; /* a unix socket to connect to; NULL: none */
	const char *comm;    /* name of the first thread; NULL: "guest" */
	enum recorder_time time;
	size_t ring;         /* bytes for each thread; 0: all is kept */
	bool trigger;        /* there is one: */
	uint64_t trigger_at; /* address, or offset in this file: */
	const char *trigger_file;
	bool multi_thread; /* all threads; else the first only, the others run unrecorded */
	/*
	 * Each hit of the trigger counts, not only the first, and each snapshot is a file of its
	 * own; else recording ends with the first hit.
	 */
	bool multi;
	unsigned int image; /* how many programs the process has executed before */
	bool taken;         /* and of one of them a snapshot was taken */
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

#endif
