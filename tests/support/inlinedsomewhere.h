/* SPDX-License-Identifier: MIT */
/* inlinedsomewhere: inlined functions of code that has no debug info, for stacks_config.inlined. */
#ifndef MT_SUPPORT_INLINEDSOMEWHERE_H
#define MT_SUPPORT_INLINEDSOMEWHERE_H

#include "base/intern.h"
#include "stack/stacks.h"

/*
 * Each 4 bytes of code have up to three functions inlined into each other, the same ones again and
 * again. ctx: where their name is interned.
 */
static inline void inlined_somewhere(void *ctx, int32_t pid, const struct location *place,
				     struct inlined_place *out)
{
	uint64_t block = place->addr / 4, deep = block * 7 / 3 % 4;

	(void)pid;
	out->start = block * 4;
	out->end = out->start + 4;
	for (out->n = 0; out->n < deep; out->n++)
		out->all[out->n] = (struct inlined_function){
			.unit = 1,
			.scope = block / 4 % 2 * 4 + out->n,
			.name = intern_add(ctx, STR("inlined")),
		};
}

#endif
