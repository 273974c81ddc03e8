/* SPDX-License-Identifier: MIT */
/* input: where bytes come from, for readers that do not care whether it is a file or a program. */
#ifndef MT_BASE_INPUT_H
#define MT_BASE_INPUT_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct input {
	void *ctx;
	/*
	 * Waits for bytes and puts up to size of them into buf: how many, 0 at the end, -1 with
	 * err set when reading failed or was interrupted for good.
	 */
	ssize_t (*read)(void *ctx, void *buf, size_t size, struct err *err);
};

#endif
