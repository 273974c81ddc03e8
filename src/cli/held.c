/* SPDX-License-Identifier: MIT */
#include "cli/held.h"

#include "base/xalloc.h"

#include <stdlib.h>

void held_add(struct held *held, struct str line)
{
	if (held->n < HELD_MAX) {
		held->lines[held->n++] = xmemdup0(line.p, line.n);
		return;
	}
	held_say(held);
	held->say(held->ctx, line);
}

void held_say(struct held *held)
{
	for (size_t i = 0; i < held->n; i++)
		held->say(held->ctx, str_of(held->lines[i]));
	held_drop(held);
}

void held_drop(struct held *held)
{
	while (held->n)
		free(held->lines[--held->n]);
}
