/* SPDX-License-Identifier: MIT */
/*
 * qemu: the engine that runs a program under QEMU's user-mode emulation, with our plugin in it:
 * many times faster than the stepper, and for new programs only. What it cannot give:
 *
 * - Signals that the program does not handle: QEMU writes "qemu: uncaught target signal ..." on its
 *   standard error before it dies of them. Handled ones are found by what QEMU puts on the stack;
 *   where that is not seen, the branch right before is missing.
 * - Children of fork(2) run on, under QEMU or, when they execute another program, by themselves;
 *   they are not recorded.
 * - A program that is killed by SIGKILL, or by QEMU's own failure, leaves a file without an end.
 * - LD_PRELOAD and its like act on QEMU too. The CPU is QEMU's: libraries choose other functions.
 */
#ifndef MT_SOFT_QEMU_H
#define MT_SOFT_QEMU_H

#include "base/err.h"
#include "base/str.h"
#include "soft/qemuargs.h"

#include <stdbool.h>

struct qemu {
	char *path;   /* of qemu-x86_64 */
	char *plugin; /* of our shared object */
	unsigned int major, minor;
};

/*
 * Finds QEMU (in PATH) and the plugin (beside our own executable, or in ../lib/magic-trace/ from
 * there), and asks QEMU for its version and for what it can do, which takes some 20 ms. -1 with
 * err, what to do in it: not found, too old, no plugins.
 */
int qemu_find(struct qemu *qemu, struct err *err);
void qemu_fini(struct qemu *qemu);

/* "qemu-x86_64 version 7.2.22 (Debian ...)"; false: it is not of this form. */
bool qemu_parse_version(struct str text, unsigned int *major, unsigned int *minor);

/*
 * The command that runs path (as execve(2) takes it: no PATH is searched) with argv under QEMU. It
 * is NULL, with err, when QEMU cannot run it: no such file, for another machine, setuid. For a
 * script it is its interpreter that is recorded. To be freed with qemuargs_free.
 */
char **qemu_command(const struct qemu *qemu, const struct qemuargs *args, const char *path,
		    char *const argv[], struct err *err);

#endif
