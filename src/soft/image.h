/* SPDX-License-Identifier: MIT */
/*
 * image: what a file that is to be executed is, as execve(2) sees it: a program, or a script that
 * names one; and whether QEMU's user-mode emulation can run it.
 */
#ifndef MT_SOFT_IMAGE_H
#define MT_SOFT_IMAGE_H

#include "base/err.h"

enum image_kind {
	IMAGE_FINE,
	IMAGE_NONE,  /* execve(2) fails as well: no such file, not executable, not a program */
	IMAGE_OTHER, /* the kernel runs it, perhaps, but QEMU cannot; err says why */
};

/*
 * What execve(path, argv) would execute: *program, a path, with *args, which end in NULL; for a
 * script these are its interpreter and what that gets. Both are set only when it is IMAGE_FINE, and
 * are to be freed with image_free. Else err says why.
 */
enum image_kind image_find(const char *path, char *const argv[], char **program, char ***args,
			   struct err *err);
void image_free(char *program, char **args);

/* The name that the kernel gives a process that executes path (proc(5), comm). Free with free(). */
char *image_comm(const char *path) __attribute__((returns_nonnull));

#endif
