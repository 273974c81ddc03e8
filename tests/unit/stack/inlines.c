/* SPDX-License-Identifier: MIT */
#include "stack/inlines.h"

#include "stack/stacks.h"
#include "support/suite.h"

/* From 100 to 200 a is inlined, and from 150 in that b; beyond nothing is known. */
static void ask(void *ctx, int32_t pid, const struct location *place, struct inlined_place *out)
{
	unsigned *asked = ctx;

	(void)pid;
	(*asked)++;
	ck_assert_uint_eq(out->start, place->addr);
	ck_assert_uint_eq(out->end, place->addr + 1);
	if (place->addr < 100 || place->addr >= 200)
		return;
	out->start = place->addr < 150 ? 100 : 150;
	out->end = place->addr < 150 ? 150 : 200;
	out->all[out->n++] = (struct inlined_function){ .unit = 1, .scope = 1, .name = 5 };
	if (place->addr >= 150)
		out->all[out->n++] = (struct inlined_function){ .unit = 1, .scope = 2, .name = 6 };
}

static struct inlines_run at(struct inlines *inlines, int32_t pid, uint64_t addr)
{
	struct location place = { .addr = addr };

	return *inlines_at(inlines, pid, &place);
}

START_TEST(test_chains)
{
	unsigned asked = 0;
	struct inlines *inlines = inlines_new(ask, &asked);
	struct inlines_run a = at(inlines, 7, 120), b = at(inlines, 7, 160);
	const struct inlines_function *function;

	ck_assert_uint_eq(at(inlines, 7, 120).chain, a.chain);
	ck_assert_uint_eq(asked, 2);
	ck_assert_uint_eq(at(inlines, 7, 130).chain, a.chain);
	ck_assert(inlines_holds(&a, 149) && !inlines_holds(&a, 150) && !inlines_holds(&a, 99));
	function = inlines_function(inlines, b.chain);
	ck_assert_uint_eq(function->name, 6);
	ck_assert_uint_eq(function->depth, 2);
	ck_assert_uint_eq(function->around, a.chain);
	ck_assert_uint_eq(inlines_common(inlines, a.chain, b.chain), a.chain);
	ck_assert_uint_eq(inlines_common(inlines, b.chain, 0), 0);
	ck_assert_uint_eq(at(inlines, 7, 300).chain, 0);
	/* another process has its own */
	ck_assert_uint_ne(at(inlines, 8, 120).chain, a.chain);
	ck_assert_uint_eq(inlines_common(inlines, at(inlines, 8, 120).chain, a.chain), 0);
	inlines_free(inlines);
}
END_TEST

/* So many that the table of functions grows. */
static void ask_many(void *ctx, int32_t pid, const struct location *place,
		     struct inlined_place *out)
{
	(void)ctx, (void)pid;
	for (; out->n < INLINED_MAX; out->n++)
		out->all[out->n] = (struct inlined_function){ .scope = place->addr + out->n };
}

START_TEST(test_many)
{
	struct inlines *inlines = inlines_new(ask_many, NULL);
	uint32_t chains[100];

	for (uint64_t i = 0; i < 100; i++) {
		chains[i] = at(inlines, 7, 1 + i * 1000).chain;
		ck_assert_uint_eq(inlines_function(inlines, chains[i])->depth, INLINED_MAX);
		ck_assert_uint_eq(inlines_function(inlines, chains[i])->scope,
				  i * 1000 + INLINED_MAX);
	}
	for (uint64_t i = 0; i < 100; i++)
		ck_assert_uint_eq(at(inlines, 7, 1 + i * 1000).chain, chains[i]);
	ck_assert_uint_eq(inlines_common(inlines, chains[3], chains[4]), 0);
	inlines_free(inlines);
}
END_TEST

SUITE_MAIN("inlines", test_chains, test_many)
