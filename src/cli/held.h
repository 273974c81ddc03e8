/* SPDX-License-Identifier: MIT */
/* held: lines that are to be said later, or never. */
#ifndef MT_CLI_HELD_H
#define MT_CLI_HELD_H

#include "base/str.h"

#include <stddef.h>

#define HELD_MAX 64

/* Zero but for say and ctx: none. */
struct held {
	void (*say)(void *ctx, struct str line);
	void *ctx;
	char *lines[HELD_MAX]; /* owned */
	size_t n;
};

/* Keeps a copy of a line. When there is no room, all lines and this one are said at once. */
void held_add(struct held *held, struct str line);

/* Says them, in their order; none is left. */
void held_say(struct held *held);

/* Forgets them. */
void held_drop(struct held *held);

#endif
