/* SPDX-License-Identifier: MIT */
#include "stack/inlines.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "stack/stacks.h"

#include <stdlib.h>

/* Places that are remembered; of two that fall into one slot, the later one. */
#define PLACES (1u << 16)

/* More than any debug info that is sound has; what is beyond is not drawn. */
#define FUNCTIONS_MAX (1u << 22)

struct place {
	uint64_t addr; /* 0: the slot is free */
	int32_t pid;
	uint32_t dso;
	struct inlines_run run;
};

struct inlines {
	void (*ask)(void *ctx, int32_t pid, const struct location *place,
		    struct inlined_place *out);
	void *ctx;
	struct place *places;
	struct inlines_function *functions; /* chain less 1 is the index */
	uint32_t n, cap;
	uint32_t *slots; /* chains by their functions; open addressing, linear; 0: free */
	uint32_t n_slots;
	struct inlined_place answer;
};

struct inlines *inlines_new(void (*ask)(void *ctx, int32_t pid, const struct location *place,
					struct inlined_place *out),
			    void *ctx)
{
	struct inlines *inlines = xcalloc(1, sizeof(*inlines));

	inlines->ask = ask;
	inlines->ctx = ctx;
	inlines->places = xcalloc(PLACES, sizeof(*inlines->places));
	inlines->n_slots = 1024;
	inlines->slots = xcalloc(inlines->n_slots, sizeof(*inlines->slots));
	return inlines;
}

void inlines_free(struct inlines *inlines)
{
	if (!inlines)
		return;
	free(inlines->places);
	free(inlines->functions);
	free(inlines->slots);
	free(inlines);
}

static bool is_same(const struct inlines_function *a, const struct inlines_function *b)
{
	return a->around == b->around && a->unit == b->unit && a->scope == b->scope &&
	       a->pid == b->pid && a->name == b->name;
}

/* Where the function is, or belongs. */
static uint32_t *slot_of(const struct inlines *inlines, const struct inlines_function *function)
{
	uint64_t more = (uint64_t)function->around << 32 | (uint32_t)function->pid;
	uint64_t h = hash_mix(hash_u64(function->unit, hash_seed()), function->scope | 1);
	uint32_t mask = inlines->n_slots - 1, at;

	at = (uint32_t)hash_u64(h ^ more, hash_seed()) & mask;
	while (inlines->slots[at] &&
	       !is_same(&inlines->functions[inlines->slots[at] - 1], function))
		at = (at + 1) & mask;
	return &inlines->slots[at];
}

static void grow_slots(struct inlines *inlines)
{
	free(inlines->slots);
	inlines->n_slots *= 2;
	inlines->slots = xcalloc(inlines->n_slots, sizeof(*inlines->slots));
	for (uint32_t i = 0; i < inlines->n; i++)
		*slot_of(inlines, &inlines->functions[i]) = i + 1;
}

/* The number of the chain that ends with the function; that of the chain around it: no room. */
static uint32_t chain_of(struct inlines *inlines, const struct inlines_function *function)
{
	uint32_t *slot = slot_of(inlines, function);

	if (*slot)
		return *slot;
	if (inlines->n == FUNCTIONS_MAX)
		return function->around;
	if (inlines->n == inlines->cap) {
		inlines->cap = inlines->cap ? 2 * inlines->cap : 256;
		inlines->functions = xreallocarray(inlines->functions, inlines->cap,
						   sizeof(*inlines->functions));
	}
	inlines->functions[inlines->n++] = *function;
	*slot = inlines->n;
	if (inlines->n > inlines->n_slots / 2)
		grow_slots(inlines);
	return inlines->n;
}

static uint32_t depth_of(const struct inlines *inlines, uint32_t chain)
{
	return chain ? inlines_function(inlines, chain)->depth : 0;
}

static struct inlines_run look(struct inlines *inlines, int32_t pid, const struct location *place)
{
	struct inlined_place *answer = &inlines->answer;
	struct inlines_run run;
	uint32_t n;

	answer->start = place->addr;
	answer->end = place->addr + 1;
	answer->n = 0;
	inlines->ask(inlines->ctx, pid, place, answer);
	run = (struct inlines_run){ .start = answer->start, .end = answer->end };
	n = answer->n < INLINED_MAX ? answer->n : INLINED_MAX;
	for (uint32_t i = 0; i < n; i++) {
		struct inlines_function function = {
			.unit = answer->all[i].unit,
			.scope = answer->all[i].scope,
			.start = answer->start,
			.name = answer->all[i].name,
			.around = run.chain,
			.depth = depth_of(inlines, run.chain) + 1,
			.pid = pid,
		};

		run.chain = chain_of(inlines, &function);
	}
	return run;
}

const struct inlines_run *inlines_at(struct inlines *inlines, int32_t pid,
				     const struct location *place)
{
	uint64_t more = (uint64_t)place->dso << 32 | (uint32_t)pid;
	uint64_t h = hash_mix(hash_u64(place->addr, hash_seed()), more | 1);
	struct place *known = &inlines->places[h % PLACES];

	if (known->addr == place->addr && known->pid == pid && known->dso == place->dso)
		return &known->run;
	*known = (struct place){ .addr = place->addr, .pid = pid, .dso = place->dso };
	known->run = look(inlines, pid, place);
	return &known->run;
}

const struct inlines_function *inlines_function(const struct inlines *inlines, uint32_t chain)
{
	return &inlines->functions[chain - 1];
}

uint32_t inlines_common(const struct inlines *inlines, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (depth_of(inlines, a) >= depth_of(inlines, b))
			a = inlines_function(inlines, a)->around;
		else
			b = inlines_function(inlines, b)->around;
	}
	return a;
}
